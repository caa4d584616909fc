import type { Case, Group } from '../case.js';
import { abort } from './abort.js';
import { asked } from './asked.js';
import { blocks } from './blocks.js';
import { deltas } from './deltas.js';
import { denials } from './denials.js';
import { effects } from './effects.js';
import { ends } from './ends.js';
import { history } from './history.js';
import { hooks } from './hooks.js';
import { instructions } from './instructions.js';
import { order } from './order.js';
import { rules } from './rules.js';
import { sdkTools } from './sdk-tools.js';
import { turns } from './turns.js';

/** All that is compared: fourteen points. */
export const groups: readonly Group[] = [
  order,
  effects,
  blocks,
  denials,
  asked,
  rules,
  hooks,
  ends,
  history,
  turns,
  deltas,
  instructions,
  sdkTools,
  abort,
];

/** @throws Error if there is none. */
export function findCase(group: string, name: string): Case {
  const found = groups.find((one) => one.name === group)?.cases.find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no case '${name}' of '${group}'.`);
  return found;
}
