import { loneSurrogateIn } from './lone-surrogate.js';
import { refuse } from './wire-error.js';

/** The API's own limit: 32 MB. */
const mostBytes = 32 * 1024 * 1024;

/** @throws a 413 for a body over 32 MB, a 400 for one that is not JSON or has half a surrogate pair */
export async function receiveJson(request: AsyncIterable<unknown>): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = chunk as Buffer;
    size += bytes.length;
    // Read on to the end: to stop here would cut the connection before the client reads its 413.
    if (size <= mostBytes) chunks.push(bytes);
  }
  if (size > mostBytes) throw refuse('body-size', 'Request exceeds the maximum size of 32 MB.');
  return parseBody(Buffer.concat(chunks).toString('utf8'));
}

/** @throws a 400 as the API's own parser would, which is stricter than JavaScript's */
export function parseBody(text: string): unknown {
  const at = loneSurrogateIn(text);
  if (at >= 0) {
    throw refuse(
      'lone-surrogate',
      'The request body is not valid JSON: no low surrogate in string: ' +
        `line 1 column ${at + 1} (char ${at})`,
    );
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw refuse('body-json', `The request body is not valid JSON: ${reason}`);
  }
}
