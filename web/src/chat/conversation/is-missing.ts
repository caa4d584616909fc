import { TurnpikeError } from '../../../../src/client/transport/client-errors.js';

/** Whether the session does not exist for this key. Pure. */
export function isMissing(fault: unknown): boolean {
  return fault instanceof TurnpikeError && fault.code === 'SESSION_NOT_FOUND';
}
