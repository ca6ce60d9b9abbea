/** Something in the evidence that does not agree with the rest. */
export interface VerifyProblem {
  /** What is wrong, in a sentence. */
  readonly what: string;
  /** The row: table and key, e.g. `events 7` or `samples web/12`. */
  readonly where: string;
}

export interface VerifyReport {
  readonly ok: boolean;
  /** How many rows of each kind were checked. */
  readonly checked: { readonly [table: string]: number };
  readonly problems: readonly VerifyProblem[];
}
