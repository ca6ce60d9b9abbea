import { type ErrorCode, MayhemError } from '../model/error.js';
import type { Json, JsonObject } from '../model/json.js';
import type { Notice } from '../model/notice.js';
import type { ExpansionBudget } from '../source/plain.js';
import { describe, placeOf, type YamlMap, type YamlNode } from '../source/yaml-node.js';
import { interpolate, type Lookup } from './interpolate.js';

/** A path of keys as messages show it. */
export type KeyPath = string;

/** Reads values of a compose file with variables replaced; collects what is wrong instead of stopping at the first. */
export class ComposeReader {
  readonly errors: MayhemError[] = [];
  readonly notices: Notice[] = [];
  readonly #lookup: Lookup;
  readonly #budget: ExpansionBudget;
  readonly #unset = new Set<string>();

  constructor(options: { readonly lookup: Lookup; readonly budget: ExpansionBudget }) {
    this.#lookup = options.lookup;
    this.#budget = options.budget;
  }

  fail(node: YamlNode, message: string, more: { readonly code?: ErrorCode; readonly hint?: string } = {}): void {
    const { code = 'blueprint.invalid', hint } = more;
    this.errors.push(new MayhemError(code, message, { place: placeOf(node), ...(hint === undefined ? {} : { hint }) }));
  }

  unsupported(node: YamlNode, what: string): void {
    const hint = 'write the resolved form, for example with `docker compose config`';
    this.fail(node, `${what} is not supported yet`, { code: 'blueprint.unsupported', hint });
  }

  /** The text of a scalar, variables replaced; null when it is absent, empty or (an error) no scalar. Numbers are taken as written. */
  text(node: YamlNode | null, path: KeyPath): string | null {
    if (node === null) return null;
    this.#budget.spend(node);
    if (node.kind !== 'scalar') {
      this.fail(node, `${path}: expected text, found ${describe(node)}`);
      return null;
    }
    if (node.value === null) return null;
    return typeof node.value === 'string' ? this.#replace(node, node.value, path) : node.text;
  }

  /** The whole number a scalar stands for after replacing variables, or null (an error when it is there and none). */
  integer(node: YamlNode | null, path: KeyPath): number | null {
    const text = this.text(node, path);
    if (node === null || text === null || text === '') return null;
    if (/^\d{1,9}$/.test(text)) return Number(text);
    this.fail(node, `${path}: expected a whole number, found "${text}"`);
    return null;
  }

  map(node: YamlNode | null, path: KeyPath): YamlMap | null {
    if (node === null || (node.kind === 'scalar' && node.value === null)) return null;
    this.#budget.spend(node);
    if (node.kind === 'map') return node;
    this.fail(node, `${path}: expected a map, found ${describe(node)}`);
    return null;
  }

  list(node: YamlNode | null, path: KeyPath): readonly YamlNode[] {
    if (node === null || (node.kind === 'scalar' && node.value === null)) return [];
    this.#budget.spend(node);
    if (node.kind === 'list') return node.items;
    this.fail(node, `${path}: expected a list, found ${describe(node)}`);
    return [];
  }

  /** A value as plain JSON, variables replaced in every text of it. Numbers that JSON cannot hold exactly stay as written. */
  json(node: YamlNode, path: KeyPath): Json {
    this.#budget.spend(node);
    if (node.kind === 'list') return node.items.map((item, index) => this.json(item, `${path}[${index}]`));
    if (node.kind === 'map') {
      const object: { [key: string]: Json } = {};
      for (const [key, entry] of node.entries) object[key] = this.json(entry.value, `${path}.${key}`);
      return object satisfies JsonObject;
    }
    if (typeof node.value === 'string') return this.#replace(node, node.value, path);
    if (typeof node.value === 'number') return String(node.value) === node.text ? node.value : node.text;
    return node.value;
  }

  #replace(node: YamlNode, text: string, path: KeyPath): string {
    const result = interpolate({ text, lookup: this.#lookup });
    if (!result.ok) {
      this.fail(node, `${path}: ${result.problem}`);
      return '';
    }
    for (const name of result.unset) {
      if (this.#unset.has(name)) continue;
      this.#unset.add(name);
      const message = `the variable "${name}" is not set: blank text is used (${path})`;
      this.notices.push({ level: 'warning', message, place: placeOf(node) });
    }
    return result.value;
  }
}
