import { createHash } from 'node:crypto';
import { canonicalJson } from '../../platform/json.js';
import { cutText } from './cut-text.js';

const readableLength = 200;

/**
 * Tool and canonical arguments as one key. A long one is its hash: the arguments of a call may be
 * a whole file, and a state keeps many.
 */
export function signAction(name: string, input: unknown): string {
  const call = spellCall(name, input);
  return call.length <= readableLength ? call : `${name}#${shortHash(call)}`;
}

/** A result as a short key. An error is never equal to a success that reads the same. */
export function signOutcome(output: string, isError: boolean): string {
  return `${isError ? 'error' : 'ok'}:${shortHash(output)}`;
}

/** A call for people, cut to 200 characters: `search_code({"query":"x"})`. */
export function describeAction(name: string, input: unknown): string {
  return cutText(spellCall(name, input), readableLength);
}

function spellCall(name: string, input: unknown): string {
  return `${name}(${canonicalJson(input ?? null)})`;
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
