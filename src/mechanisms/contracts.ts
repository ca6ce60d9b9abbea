import type { MechanismId } from '../model/fault.js';
import type { MechanismContract } from './contract.js';
import { firewallContract } from './firewall/contract.js';
import { pauseContract } from './pause/contract.js';
import { stressContract } from './stress/contract.js';

/** Every mechanism's contract, by id. */
export const contracts: Readonly<Record<MechanismId, MechanismContract>> = {
  firewall: firewallContract,
  pause: pauseContract,
  stress: stressContract,
};
