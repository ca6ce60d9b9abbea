import type { TopologyEdge, TopologyNode } from '../model/topology.js';

/** A node with what most nodes have filled in. */
export function node(given: Pick<TopologyNode, 'id' | 'kind' | 'name'> & Partial<TopologyNode>): TopologyNode {
  return { placeholder: false, facts: {}, ...given };
}

/** An edge with what most edges have filled in. */
export function edge(given: Pick<TopologyEdge, 'from' | 'to' | 'kind'> & Partial<TopologyEdge>): TopologyEdge {
  return { weight: 1, inferred: false, detail: null, ...given };
}
