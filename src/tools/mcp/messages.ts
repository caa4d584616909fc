import { specTypeSchemas, type Client, type Progress } from '@modelcontextprotocol/client';
import { parseJson, plainNumbers } from '../../platform/exact-json.js';
import { isPlainObject, type JsonObject } from '../../platform/json.js';
import { linkAbort } from '../../platform/async/deadlines.js';
import { compact } from '../../platform/compact.js';
import { withoutNulls } from './absent-nulls.js';
import { unwrapResult } from './answers.js';

/** Bytes of a server's message at most; a screenshot fits. */
export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;

/** A server sent a message over the limit. */
export class MessageTooLongError extends Error {
  override readonly name = 'MessageTooLongError';

  constructor(most: number) {
    super(`it sent more than ${most} bytes in one message`);
  }
}

/** Whether `readMessage` makes something else of a text than `JSON.parse` does. */
export function hasOwnReading(text: string | Buffer): boolean {
  return text.includes('structuredContent') || text.includes('null');
}

/**
 * Parses a message of a server, or a list of them. The numbers of a result's structured content are exact
 * (`exact-json.ts`); those of the protocol are plain. Fields that are null are not there (`absent-nulls.ts`).
 *
 * @throws SyntaxError.
 */
export function readMessage(text: string): unknown {
  const exact = parseJson(text);
  const read = text.includes('null')
    ? (one: unknown) => withoutNulls(withPlainFrame(one))
    : withPlainFrame;
  return Array.isArray(exact) ? exact.map(read) : read(exact);
}

function withPlainFrame(exact: unknown): unknown {
  const plain = plainNumbers(exact);
  const result = isPlainObject(exact) ? exact['result'] : undefined;
  if (plain === exact || !isPlainObject(plain) || !isPlainObject(result)) return plain;
  const { structuredContent } = result;
  if (structuredContent === undefined || !isPlainObject(plain['result'])) return plain;
  return { ...plain, result: { ...plain['result'], structuredContent } };
}

/** Longest delay of Node's timers, in ms: the SDK's own timeout is off, as signals end requests. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export interface SendOptions {
  signal: AbortSignal;
  onprogress?: (progress: Progress) => void;
  /** Headers of the request, where it is one over HTTP. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Sends a request to a server, until `signal` aborts. The result is as the server sent it, and not validated: one odd
 * part would make the whole result fail.
 *
 * @throws ProtocolError, SdkError; errors of the transport.
 */
export async function sendRequest(
  client: Client,
  request: { method: string; params: JsonObject },
  { signal, ...rest }: SendOptions,
): Promise<Record<string, unknown>> {
  // A controller for each request: the SDK never removes its listener from the signal.
  const stop = new AbortController();
  const unlink = linkAbort(signal, stop);
  try {
    const options = {
      signal: stop.signal,
      timeout: MAX_TIMEOUT_MS,
      allowInputRequired: true,
      ...compact(rest),
    };
    return unwrapResult(await client.request(request, specTypeSchemas.Result, options));
  } finally {
    unlink();
  }
}
