import { canonicalPersonaName } from './persona-name.js';

/** Whether two names are of one persona: `-` equals `_`. */
export function isSamePersona(one: string, other: string): boolean {
  return canonicalPersonaName(one) === canonicalPersonaName(other);
}
