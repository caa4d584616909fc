import { TurnpikeError } from '../../../../src/client/client-errors.js';

/** Whether there is no such session, or none that this key may see. Pure. */
export function isMissing(fault: unknown): boolean {
  return fault instanceof TurnpikeError && fault.code === 'SESSION_NOT_FOUND';
}
