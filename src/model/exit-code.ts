/** Process exit codes of every command. The table in docs/exit-codes.md is compared with this one by a test. */
export const ExitCode = {
  SUCCESS: 0,
  GENERAL_FAILURE: 1,
  USAGE_ERROR: 2,
  CONFIG_ERROR: 3,
  VALIDATION_ERROR: 4,
  SAFETY_REFUSAL: 5,
  EXPERIMENT_FAILURE: 6,
  RECOVERY_FAILURE: 7,
  AGENT_ERROR: 8,
  TOOLKIT_ERROR: 9,
  AMBIGUOUS_COMMAND: 10,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
