/** Exit code for a machine that lacks something which only its owner may install (VALIDATION_ERROR). */
export const EXIT_MISSING = 4;

/** Thrown when a set-up step cannot be done from here: says what is missing and which command to type. */
export class SetupError extends Error {
  /**
   * @param {string} message what is missing, and why it was not installed
   * @param {{ command?: string, detail?: string }} [help] `command` is what the user types; `detail` the tail of a tool's output
   */
  constructor(message, { command, detail } = {}) {
    super(message);
    this.name = 'SetupError';
    this.command = command;
    this.detail = detail?.trim().split('\n').slice(-12).join('\n');
    this.exitCode = EXIT_MISSING;
  }

  /** @returns {string} the text for the terminal */
  toText() {
    const lines = [`error  ${this.message}`];
    if (this.detail) lines.push(...this.detail.split('\n').map((line) => `       | ${line}`));
    if (this.command) lines.push('', `       Please type:  ${this.command}`);
    return lines.join('\n');
  }
}
