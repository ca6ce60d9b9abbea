import type { Place } from '../model/error.js';
import type { LineIndex } from './line-index.js';

interface NodeBase {
  readonly lines: LineIndex;
  readonly offset: number;
}
export interface YamlEntry {
  readonly key: string;
  /** Offset of the key; entries that came by a merge key have that of the map they were written in. */
  readonly keyOffset: number;
  readonly value: YamlNode;
}
export interface YamlMap extends NodeBase {
  readonly kind: 'map';
  readonly entries: ReadonlyMap<string, YamlEntry>;
}
export interface YamlList extends NodeBase {
  readonly kind: 'list';
  readonly items: readonly YamlNode[];
}
export interface YamlScalar extends NodeBase {
  readonly kind: 'scalar';
  readonly value: string | number | boolean | null;
  /** As written, quotes and block markers resolved: `1.10` where the value is 1.1. */
  readonly text: string;
}

/**
 * A document as a tree that knows where each part was written. Aliases and merged maps share their nodes with the anchor,
 * so the tree may have more paths than nodes: whoever walks all of it counts (see plainOf).
 */
export type YamlNode = YamlMap | YamlList | YamlScalar;

/** Where a node begins. */
export function placeOf(node: YamlNode): Place {
  return node.lines.placeAt(node.offset);
}

/** Where the key of an entry begins. */
export function keyPlaceOf(map: YamlMap, entry: YamlEntry): Place {
  return map.lines.placeAt(entry.keyOffset);
}

/** The value under a key of a map; null when the node is no map or has no such key. */
export function childOf(node: YamlNode | null, key: string): YamlNode | null {
  return node?.kind === 'map' ? (node.entries.get(key)?.value ?? null) : null;
}

/** What a node is, for messages: `a list`, `text "abc"`, `the number 5`, `nothing`. */
export function describe(node: YamlNode): string {
  if (node.kind === 'map') return 'a map';
  if (node.kind === 'list') return 'a list';
  if (node.value === null) return 'nothing';
  if (typeof node.value === 'string') return `"${node.value.slice(0, 60)}"`;
  return typeof node.value === 'number' ? `the number ${node.text}` : `${node.value}`;
}

/**
 * The place that a path of keys and indices points at: the key when the last part is a key that exists, the item when it is an
 * index, else the nearest part above that exists.
 */
export function placeAtPath(root: YamlNode, path: readonly PropertyKey[]): Place {
  let node = root;
  let place = placeOf(root);
  for (const part of path) {
    if (node.kind === 'map') {
      const entry = node.entries.get(String(part));
      if (entry === undefined) return place;
      place = keyPlaceOf(node, entry);
      node = entry.value;
    } else if (node.kind === 'list') {
      const item = typeof part === 'number' ? node.items[part] : undefined;
      if (item === undefined) return place;
      place = placeOf(item);
      node = item;
    } else return place;
  }
  return place;
}

/** The node a path leads to, or null. */
export function nodeAtPath(root: YamlNode, path: readonly PropertyKey[]): YamlNode | null {
  let node: YamlNode | null = root;
  for (const part of path) {
    if (node === null) return null;
    node = node.kind === 'list' && typeof part === 'number' ? (node.items[part] ?? null) : childOf(node, String(part));
  }
  return node;
}
