import { nearest } from '../model/nearest.js';
import { childOf, type YamlMap, type YamlNode } from '../source/yaml-node.js';
import type { ComposeReader } from './compose-reader.js';
import type { ReadService } from './read-service.js';

interface Reference {
  readonly section: 'volumes' | 'networks' | 'secrets' | 'configs';
  readonly name: string;
  readonly node: YamlNode;
}

/** Checks that the named volumes, networks, secrets and configs that services use are declared at the top of the file. */
export function checkResources(options: {
  readonly reader: ComposeReader;
  readonly root: YamlMap;
  readonly services: readonly ReadService[];
}): void {
  const { reader, root, services } = options;
  // What an included file declares is not known here.
  if (root.entries.has('include')) return;
  for (const { service, node } of services) {
    const references = [
      ...volumesOf({ reader, node, service: service.name }),
      ...namesOf({ node, section: 'networks' }),
      ...namesOf({ node, section: 'secrets' }),
      ...namesOf({ node, section: 'configs' }),
    ];
    for (const { section, name, node: at } of references) {
      const declared = childOf(root, section);
      const names = declared?.kind === 'map' ? [...declared.entries.keys()] : [];
      // Every project has a network of this name.
      if (names.includes(name) || (section === 'networks' && name === 'default') || name.includes('$')) continue;
      const near = nearest({ word: name, candidates: names });
      const message = `service "${service.name}" uses "${name}", which is not declared under ${section}`;
      reader.fail(at, message, { hint: near === null ? `declare it under ${section}` : `did you mean "${near}"?` });
    }
  }
}

/** Named volumes of the short and the long form; paths and anonymous volumes are none (Compose Specification, "volumes"). */
function volumesOf(options: {
  readonly reader: ComposeReader;
  readonly node: YamlMap;
  readonly service: string;
}): readonly Reference[] {
  const { reader, node, service } = options;
  const list = childOf(node, 'volumes');
  if (list?.kind !== 'list') return [];
  return list.items.flatMap((item, index): Reference[] => {
    if (item.kind === 'map') {
      const source = childOf(item, 'source');
      const type = childOf(item, 'type');
      const named =
        source?.kind === 'scalar' && source.value !== null && type?.kind === 'scalar' && type.value === 'volume';
      return named ? [{ section: 'volumes', name: source.text, node: item }] : [];
    }
    const text = reader.text(item, `services.${service}.volumes[${index}]`) ?? '';
    if (!text.includes(':') || /^[A-Za-z]:[\\/]/.test(text)) return [];
    const name = text.slice(0, text.indexOf(':'));
    if (name === '') reader.fail(item, `services.${service}.volumes[${index}]: "${text}" has no source`);
    return name === '' || /^[./~]/.test(name) || name.includes('/') ? [] : [{ section: 'volumes', name, node: item }];
  });
}

function namesOf(options: { readonly node: YamlMap; readonly section: Reference['section'] }): readonly Reference[] {
  const { section } = options;
  const given = childOf(options.node, section);
  if (given?.kind === 'map') return [...given.entries].map(([name, entry]) => ({ section, name, node: entry.value }));
  if (given?.kind !== 'list') return [];
  return given.items.flatMap((item): Reference[] => {
    const named = item.kind === 'map' ? childOf(item, 'source') : item;
    return named?.kind === 'scalar' && named.value !== null ? [{ section, name: named.text, node: item }] : [];
  });
}
