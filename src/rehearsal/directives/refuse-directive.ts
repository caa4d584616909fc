import { refuse } from '../http/wire-error.js';

/** The 400 for a directive that cannot be read, or cannot be played in this request. */
export function refuseDirective(message: string): Error {
  return refuse('directive', message);
}
