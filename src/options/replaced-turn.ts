import { invalidRequest } from '../errors/typed-error.js';
import { isId } from '../platform/ids.js';
import { givenOptions } from './option-rule.js';

/**
 * The turn whose place a turn takes; undefined: it follows the last one. Other options with a fault are
 * ignored; this one is not: the turn would stand where its sender did not mean it.
 *
 * @throws TypedError INVALID_REQUEST 400.
 */
export function parseReplaced(opts: unknown): string | undefined {
  const { replaces } = givenOptions(opts);
  if (replaces === undefined || replaces === null) return undefined;
  if (typeof replaces === 'string' && isId('turn', replaces)) return replaces;
  throw invalidRequest(
    "'opts.replaces' must be the id of a turn of the session, as turn_…; leave it out to add a turn",
  );
}
