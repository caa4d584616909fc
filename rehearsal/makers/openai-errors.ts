import type { IncomingHttpHeaders } from 'node:http';
import type * as z from 'zod';
import { WireError } from '../http/wire-error.js';
import { pathOf } from './maker-wire.js';

/**
 * The errors of OpenAI's wires, which others have taken over
 * ({platform.openai.com/docs/guides/error-codes}).
 */
export function checkBearer({ authorization }: IncomingHttpHeaders): void {
  if (authorization?.startsWith('Bearer ') === true) return;
  throw new WireError(
    401,
    "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
  );
}

export function explainIssue(issue: z.core.$ZodIssue): string {
  const path = pathOf(issue.path);
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    return `Unknown parameter: '${path === '' ? key : `${path}.${key}`}'.`;
  }
  if (issue.code === 'invalid_type' && issue.input === undefined) {
    return `Missing required parameter: '${path}'.`;
  }
  return `Invalid value for '${path}': ${issue.message}.`;
}

const types: ReadonlyMap<number, string> = new Map([
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [429, 'rate_limit_error'],
]);

/** The object `error` of a body. */
export function errorObject({ status, message, facts }: WireError) {
  const type = types.get(status) ?? (status < 500 ? 'invalid_request_error' : 'server_error');
  const param = /'([\w.[\]]+)'/.exec(message)?.[1] ?? null;
  return { message, type, param, code: facts.details?.error_code ?? null };
}
