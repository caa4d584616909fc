import { createHash } from 'node:crypto';
import { canonicalJson } from '../../platform/json.js';
import { cutText } from '../../platform/text/cut-text.js';
import { printExact } from '../../platform/exact-json.js';

const readableLength = 200;

/**
 * The key of a call: its tool and canonical arguments, hashed where they are long, since arguments
 * may contain a whole file and a state keeps many keys.
 */
export function signAction(name: string, input: unknown): string {
  const call = spellCall(name, input);
  return call.length <= readableLength ? call : `${name}#${shortHash(call)}`;
}

/** The key of a result. An error differs from a success with equal text. */
export function signOutcome(output: string, isError: boolean): string {
  return `${isError ? 'error' : 'ok'}:${shortHash(output)}`;
}

/** A call for people, cut to 200 characters: `search_code({"query":"x"})`. */
export function describeAction(name: string, input: unknown): string {
  return cutText(spellCall(name, input), readableLength);
}

function spellCall(name: string, input: unknown): string {
  return `${name}(${printExact(canonicalJson(input ?? null))})`;
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
