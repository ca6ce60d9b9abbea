/** Control characters, line and paragraph separators, and marks that turn the direction of writing (Unicode categories Cc, Zl, Zp, Cf in part). */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

/**
 * One line of text that a terminal shows as it is: what could move its cursor or turn its writing (escape sequences in a name or an
 * answer included) becomes the Unicode replacement character, line ends and tabs a space.
 */
export function printable(text: string): string {
  return text.replace(/[\r\n\t]+/g, ' ').replace(UNPRINTABLE, '\uFFFD');
}
