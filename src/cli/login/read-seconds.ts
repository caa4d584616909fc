import { isPlainObject } from '../../platform/json.js';

/** Fields of a provider's answers that are numbers of seconds. */
const fields = ['expires_in', 'interval'];

/**
 * Fetches, and makes numbers of the seconds that some providers send as text. A pause of none, and what is no number,
 * count as not sent.
 *
 * @param options as `fetch` has them.
 */
export async function fetchWithSeconds(url: string, options: object): Promise<Response> {
  const response = await fetch(url, options);
  if (response.headers.get('content-type')?.includes('json') !== true) return response;
  // A body that breaks off does so for the client too, which says what that means.
  const text = await response
    .clone()
    .text()
    .catch(() => '');
  const body = bodyOf(text);
  if (body === undefined || !fields.some((field) => field in body)) return response;
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  // The length is another one, and the body is not packed any more.
  for (const name of ['content-length', 'content-encoding']) headers.delete(name);
  return new Response(JSON.stringify(withSeconds(body)), { status, statusText, headers });
}

function bodyOf(text: string): Record<string, unknown> | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return isPlainObject(body) ? body : undefined;
  } catch {
    // The client names what is no JSON.
    return undefined;
  }
}

function withSeconds(body: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(body).flatMap(([name, value]) => {
    if (!fields.includes(name)) return [[name, value] as const];
    const seconds = secondsOf(value);
    const isNone = seconds === undefined || (name === 'interval' && seconds === 0);
    return isNone ? [] : [[name, seconds] as const];
  });
  return Object.fromEntries(entries);
}

function secondsOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : undefined;
}
