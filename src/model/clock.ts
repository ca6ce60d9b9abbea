/** Time, passed in so that tests can set it. */
export interface Clock {
  /** Milliseconds since the epoch, by the wall clock (may jump). */
  wallMs(): number;
  /** Milliseconds since boot, suspend included; never jumps within one boot. */
  bootMs(): number;
  /** Identity of this boot of the machine: two readings of bootMs compare only under the same id. */
  bootId(): string;
}
