/** The value of a variable, or undefined when it is not set. */
export type Lookup = (name: string) => string | undefined;

export type Interpolated =
  | { readonly ok: true; readonly value: string; readonly unset: readonly string[] }
  | { readonly ok: false; readonly problem: string };

const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;

/**
 * Replaces variables in a value as the Compose Specification does (its chapter "Interpolation"): `$NAME`, `${NAME}`, with `:-` `-`
 * a default, `:?` `?` an error, `:+` `+` a replacement, all nestable; `$$` is a dollar sign. A dollar sign that starts no name stays.
 * `unset` names the variables that became blank text for want of a value. Branches not taken are parsed but not evaluated.
 */
export function interpolate(options: { readonly text: string; readonly lookup: Lookup }): Interpolated {
  const { text, lookup } = options;
  if (!text.includes('$')) return { ok: true, value: text, unset: [] };
  const reader = new Reader(text, lookup);
  const result = reader.read({ at: 0, nested: false, taken: true });
  return 'problem' in result
    ? { ok: false, problem: result.problem }
    : { ok: true, value: result.value, unset: [...reader.unset] };
}

type Part = { readonly value: string; readonly next: number } | { readonly problem: string };

class Reader {
  readonly unset = new Set<string>();
  readonly #text: string;
  readonly #lookup: Lookup;

  constructor(text: string, lookup: Lookup) {
    this.#text = text;
    this.#lookup = lookup;
  }

  /** Reads up to the end, or up to the closing brace when nested. */
  read(options: { readonly at: number; readonly nested: boolean; readonly taken: boolean }): Part {
    const text = this.#text;
    let value = '';
    let at = options.at;
    while (at < text.length) {
      const char = text[at] as string;
      if (char === '}' && options.nested) return { value, next: at };
      if (char !== '$') {
        value += char;
        at += 1;
        continue;
      }
      if (text[at + 1] === '$') {
        value += '$';
        at += 2;
        continue;
      }
      const part: Part = text[at + 1] === '{' ? this.#braced(at, options.taken) : this.#plain(at, options.taken);
      if ('problem' in part) return part;
      value += part.value;
      at = part.next;
    }
    return options.nested ? { problem: 'a "${" is not closed with "}"' } : { value, next: at };
  }

  #plain(at: number, taken: boolean): Part {
    const name = this.#name(at + 1);
    if (name === null) return { value: '$', next: at + 1 };
    return { value: this.#value(name, taken), next: at + 1 + name.length };
  }

  #braced(at: number, taken: boolean): Part {
    const name = this.#name(at + 2);
    if (name === null)
      return { problem: `"${this.#text.slice(at, at + 20)}" is not a variable; write $$ for a dollar sign` };
    const after = at + 2 + name.length;
    if (this.#text[after] === '}') return { value: this.#value(name, taken), next: after + 1 };
    const operator = /^:?[-?+]/.exec(this.#text.slice(after, after + 2))?.[0];
    if (operator === undefined) {
      return after >= this.#text.length
        ? { problem: 'a "${" is not closed with "}"' }
        : {
            problem: `"${this.#text.slice(at, after + 1)}" is not a variable: after the name only } :- - :? ? :+ + may follow`,
          };
    }
    const given = this.#lookup(name);
    const present = given !== undefined && (operator.length === 1 || given !== '');
    const kind = operator.at(-1) as '-' | '?' | '+';
    const takesBranch = taken && (kind === '+' ? present : !present);
    const branch = this.read({ at: after + operator.length, nested: true, taken: takesBranch });
    if ('problem' in branch) return branch;
    const next = branch.next + 1;
    if (kind === '+') return { value: present ? branch.value : '', next };
    if (present) return { value: given, next };
    if (kind === '?' && taken) {
      return {
        problem: `required variable ${name} is missing a value${branch.value === '' ? '' : `: ${branch.value}`}`,
      };
    }
    return { value: branch.value, next };
  }

  #value(name: string, taken: boolean): string {
    const value = this.#lookup(name);
    if (value === undefined && taken) this.unset.add(name);
    return value ?? '';
  }

  #name(at: number): string | null {
    NAME.lastIndex = at;
    return NAME.exec(this.#text)?.[0] ?? null;
  }
}
