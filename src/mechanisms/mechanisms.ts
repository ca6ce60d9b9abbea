import type { MechanismId } from '../model/fault.js';
import { firewall } from './firewall/act.js';
import type { Mechanism } from './mechanism.js';
import { pause } from './pause/act.js';
import { stress } from './stress/act.js';

export type Mechanisms = Readonly<Record<MechanismId, Mechanism>>;

/** Every mechanism, by id. Handed to the agent, so that tests can hand it others. */
export const mechanisms: Mechanisms = { firewall, pause, stress };
