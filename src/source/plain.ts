import { type ErrorCode, MayhemError, MayhemErrors } from '../model/error.js';
import { placeOf, type YamlNode } from './yaml-node.js';

/** Nodes that aliases and merges may expand a document to, beside what it holds itself. */
export const EXPANSION_ALLOWANCE = 100_000;

/**
 * A budget for walks over a tree whose aliases may multiply: a few lines of YAML can stand for billions of nodes. One budget is
 * shared by all walks over a document.
 */
export class ExpansionBudget {
  readonly #code: ErrorCode;
  #left: number;

  constructor(options: { readonly code: ErrorCode; readonly allowance?: number }) {
    this.#code = options.code;
    this.#left = options.allowance ?? EXPANSION_ALLOWANCE;
  }

  /** Counts one visited node; throws MayhemErrors when the document has become too large. */
  spend(node: YamlNode): void {
    this.#left -= 1;
    if (this.#left >= 0) return;
    throw new MayhemErrors([
      new MayhemError(this.#code, 'the aliases of this document expand to more nodes than are read', {
        place: placeOf(node),
        hint: 'use fewer aliases of aliases',
      }),
    ]);
  }
}

/** A node as plain objects, arrays and scalars. Places are lost: keep the tree to find them again by path. */
export function plainOf(node: YamlNode, budget: ExpansionBudget): unknown {
  budget.spend(node);
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map((item) => plainOf(item, budget));
  const plain: Record<string, unknown> = {};
  for (const [key, entry] of node.entries) plain[key] = plainOf(entry.value, budget);
  return plain;
}
