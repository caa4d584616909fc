import { expect } from '@jest/globals';
import { StreamReader } from './read-stream.js';

type Json = Record<string, unknown>;

export interface AgentAnswer {
  status: number;
  type: string | null;
  headers: Headers;
  body: Json;
}

/** A ULID that names nothing. */
export const unknownUlid = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
export const json = { 'content-type': 'application/json' };

/** A client of the agents API, for the agent of the shipped instructions. */
export class AgentClient {
  constructor(
    private readonly url: string,
    private readonly agent = 'WORKING_ITEMS',
  ) {}

  async send(path: string, init: RequestInit = {}): Promise<AgentAnswer> {
    const response = await fetch(this.url + path, init);
    const { status, headers } = response;
    const text = await response.text();
    const body = (text === '' ? {} : JSON.parse(text)) as Json;
    return { status, headers, type: headers.get('content-type'), body };
  }

  chat(body: unknown, headers: Record<string, string> = {}): Promise<AgentAnswer> {
    return this.send(`/agent/${this.agent}/chat`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { ...json, ...headers },
    });
  }

  form(fields: FormData, path = 'chat'): Promise<AgentAnswer> {
    return this.send(`/agent/${this.agent}/${path}`, { method: 'POST', body: fields });
  }

  stream(body: object, headers: Record<string, string> = {}): Promise<StreamReader> {
    const init = { method: 'POST', body: JSON.stringify(body), headers: { ...json, ...headers } };
    return this.#open('chat/stream', init);
  }

  follow(messageId: string, after?: string): Promise<StreamReader> {
    const headers: Record<string, string> = after === undefined ? {} : { 'last-event-id': after };
    return this.#open(`chat/stream/${messageId}`, { headers });
  }

  forget(sessionId: string): Promise<AgentAnswer> {
    return this.send(`/sessions/${sessionId}`, { method: 'DELETE' });
  }

  async #open(path: string, init: RequestInit): Promise<StreamReader> {
    const connection = new AbortController();
    const url = `${this.url}/agent/${this.agent}/${path}`;
    const response = await fetch(url, { ...init, signal: connection.signal });
    // A 204 means that the client has the whole stream.
    if (response.status !== 200 && response.status !== 204) {
      throw new Error(`No stream: ${response.status} ${await response.text()}`);
    }
    return new StreamReader(response, connection);
  }
}

/** Expects a problem of a code (RFC 7807). */
export function expectProblem(
  { status, type, body }: AgentAnswer,
  code: string,
  expected: number,
): void {
  // Retry advice is in errors of the provider only.
  const { requestId: _id, retryAfterMs: _ms, ...problem } = body;
  expect({ status, type, body: problem }).toEqual({
    status: expected,
    type: 'application/problem+json',
    body: {
      type: `https://turnpike.dev/docs/errors/${code}`,
      title: expect.stringMatching(/./),
      status: expected,
      detail: expect.stringMatching(/./),
      instance: expect.stringMatching(/^\//),
      retryable: expect.any(Boolean),
      correlationId: expect.any(String),
    },
  });
}
