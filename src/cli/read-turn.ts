import { createParser } from 'eventsource-parser';
import { setTimeout as wait } from 'node:timers/promises';
import type { ReceivedFrame } from './render-turn.js';

export interface TurnRequest {
  sessionId: string;
  message: string;
  attachments: string[];
  opts: Record<string, unknown>;
}

/** What the server said instead of opening a stream. */
export class RefusedError extends Error {
  constructor(
    readonly type: string,
    message: string,
  ) {
    super(message);
  }
}

/** A server, and what every request to it says of who sends it. */
export interface ServerAddress {
  url: string;
  headers: Readonly<Record<string, string>>;
}

const tries = 8;

/**
 * Posts a turn and yields its frames to the last one. A connection that breaks is taken up again
 * after the last frame, up to eight times in a row; `onRetry` hears of each.
 *
 * @throws RefusedError when the server refuses; Error when it cannot be reached any more.
 */
export async function* readTurn(
  server: ServerAddress,
  request: TurnRequest,
  onRetry: (attempt: number) => void,
): AsyncGenerator<ReceivedFrame> {
  const answer = await fetch(`${server.url}/api/harness/turn`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...server.headers },
    body: JSON.stringify(request),
  });
  await refuseUnlessOk(answer);
  const turnId = answer.headers.get('x-turn-id') ?? '';
  let lastId: string | undefined;
  let response: Response | undefined = answer;
  for (let failures = 0; ;) {
    try {
      if (response !== undefined) {
        for await (const frame of framesOf(response)) {
          lastId = frame.id;
          failures = 0;
          yield frame;
          if (frame.event === 'process:exit') return;
        }
      }
    } catch (error) {
      if (error instanceof RefusedError) throw error;
      // A broken connection; the cause shows in the next try if it lasts.
    }
    failures += 1;
    if (failures > tries)
      throw new Error(
        `The connection to ${server.url} broke, and ${tries} tries to resume failed. The turn may go on: turnpike turn cannot follow it any more (${turnId}).`,
      );
    onRetry(failures);
    await wait(Math.min(5_000, 100 * 2 ** failures) * (0.5 + Math.random() / 2));
    response = await resume(server, turnId, lastId);
  }
}

/** Undefined while the server cannot be reached. */
async function resume(
  server: ServerAddress,
  turnId: string,
  lastId: string | undefined,
): Promise<Response | undefined> {
  const headers = {
    ...server.headers,
    ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
  };
  let response: Response;
  try {
    response = await fetch(`${server.url}/api/harness/turns/${turnId}/events`, { headers });
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
  await refuseUnlessOk(response);
  return response;
}

async function* framesOf(response: Response): AsyncGenerator<ReceivedFrame> {
  const frames: ReceivedFrame[] = [];
  const parser = createParser({
    onEvent: ({ id = '', event = '', data }) =>
      frames.push({ id, event, data: JSON.parse(data) as Record<string, unknown> }),
  });
  const decoder = new TextDecoder();
  if (response.body === null) return;
  for await (const chunk of response.body) {
    parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }));
    yield* frames.splice(0);
  }
}

/** A JSON call that is expected to work. @throws RefusedError */
export function postJson(
  server: ServerAddress,
  path: string,
  body: unknown,
): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json', ...server.headers };
  return post(`${server.url}${path}`, { headers, body: JSON.stringify(body) });
}

/** @throws RefusedError */
export async function getJson(
  server: ServerAddress,
  path: string,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${server.url}${path}`, { headers: server.headers });
  await refuseUnlessOk(response);
  return (await response.json()) as Record<string, unknown>;
}

/** A call with files that is expected to work. @throws RefusedError */
export function postForm(
  server: ServerAddress,
  path: string,
  body: FormData,
): Promise<Record<string, unknown>> {
  return post(`${server.url}${path}`, { headers: server.headers, body });
}

async function post(url: string, init: RequestInit): Promise<Record<string, unknown>> {
  const response = await fetch(url, { method: 'POST', ...init });
  await refuseUnlessOk(response);
  return (await response.json()) as Record<string, unknown>;
}

async function refuseUnlessOk(response: Response): Promise<void> {
  if (response.ok) return;
  const body = (await response.json().catch(() => ({}))) as {
    error?: { type?: string; message?: string };
  };
  throw new RefusedError(
    body.error?.type ?? `HTTP_${response.status}`,
    body.error?.message ?? `The server answered ${response.status}.`,
  );
}
