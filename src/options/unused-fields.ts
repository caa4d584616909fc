import { invalidRequest, type TypedError } from '../errors/typed-error.js';
import { isPlainObject } from '../platform/json.js';
import { nearestName } from '../platform/parsing/nearest-name.js';
import { cutText } from '../platform/text/cut-text.js';
import { storableText } from '../storage/connection.js';
import type { OptionProblem } from '../storage/shapes/stored-options.js';

/** Unknown fields named one by one, and characters of each: problems are stored and shown. */
const MAX_UNKNOWN = 20;
const MAX_KEY_CHARS = 64;

/**
 * Fields of a request's body that its wire does not know, as problems that a notice names. Pure.
 *
 * @param known the fields that the wire takes.
 * @throws TypedError INVALID_REQUEST 400 for a name close to `permissions`: without its rules, calls would run that
 *   they are to deny.
 */
export function unusedFields(body: unknown, known: readonly string[]): OptionProblem[] {
  if (!isPlainObject(body)) return [];
  const isUnused = (key: string): boolean =>
    !known.includes(key) && body[key] !== undefined && body[key] !== null;
  const keys = Object.keys(body).filter(isUnused);
  const rules = keys.find(isCloseToRules);
  if (rules !== undefined) throw unusedRules(rules, known);
  const named = keys.slice(0, MAX_UNKNOWN).map((key): OptionProblem => ({
    kind: 'without-effect',
    key: cutText(storableText(key), MAX_KEY_CHARS),
    reason: `this route takes ${known.join(', ')}`,
  }));
  const count = keys.length - named.length;
  return count > 0 ? [...named, { kind: 'more-unknown', count }] : named;
}

const RULES = 'permissions';

function isCloseToRules(key: string): boolean {
  return /permission/i.test(key.replaceAll(/[-_ ]/g, '')) || nearestName(key, [RULES]) === RULES;
}

function unusedRules(key: string, known: readonly string[]): TypedError {
  const odd = JSON.stringify(cutText(storableText(key), MAX_KEY_CHARS));
  const remedy = known.includes(RULES)
    ? `Did you mean '${RULES}'?`
    : `Rules are a session's: '${RULES}' of POST /api/harness/session/create.`;
  return invalidRequest(
    `The request has no field ${odd}, and without its rules more would be allowed than it says. ${remedy}`,
    { field: cutText(storableText(key), MAX_KEY_CHARS), fields: known },
  );
}
