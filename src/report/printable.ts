/**
 * One line of text that a terminal shows as it is: control characters (escape sequences of whoever wrote a name or an answer
 * included) become the Unicode replacement character, line ends a space.
 */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text
    .replace(/[\r\n\t]+/g, ' ')
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '\uFFFD');
}
