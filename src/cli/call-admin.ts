import { RefusedError } from './read-turn.js';

export interface AdminCall {
  method: 'GET' | 'POST' | 'DELETE';
  url: string;
  /** `TURNPIKE_API_KEY`. */
  key: string | undefined;
  body?: unknown;
}

/**
 * A call of a route of `/api/admin` that is expected to work.
 *
 * @throws RefusedError with what to do; TypeError when the server cannot be reached.
 */
export async function callAdmin(call: AdminCall): Promise<Record<string, unknown>> {
  const { method, url, key, body } = call;
  const response = await fetch(url, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  if (response.ok) return answer;
  const { type = `HTTP_${response.status}`, message = '' } = (answer['error'] ?? {}) as {
    type?: string;
    message?: string;
  };
  throw new RefusedError(type, `${message}${adviceFor(response.status)}`);
}

/** A server that runs is asked with a key that may; one that has stopped leaves its data folder. */
function adviceFor(status: number): string {
  if (status !== 401 && status !== 403) return '';
  return '\nThe server that runs manages its keys: set TURNPIKE_API_KEY to a key with the scope admin, or stop the server and call this again.';
}
