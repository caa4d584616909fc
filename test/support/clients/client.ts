import supertest from 'supertest';
import { StreamReader } from './read-stream.js';

type Json = Record<string, unknown>;

export interface Answer {
  status: number;
  headers: Headers;
  body: Json;
}

/** A client of the API over a real socket, as thin as it can be. */
export class Client {
  /** @param headers sent with every request. */
  constructor(
    readonly url: string,
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  async request(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    sent: { body?: string; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const agent = supertest(this.url);
    const { get: GET, post: POST, put: PUT, patch: PATCH, delete: DELETE } = agent;
    const calls = { GET, POST, PUT, PATCH, DELETE };
    const call = Reflect.apply(calls[method], agent, [path]).set({
      ...this.headers,
      ...sent.headers,
    });
    const response = await (sent.body === undefined ? call : call.send(sent.body));
    const headers = new Headers(response.headers);
    return { status: response.status, headers, body: response.body as Json };
  }

  get(path: string): Promise<Answer> {
    return this.request('GET', path);
  }

  /** Text is sent as it is, anything else as JSON. */
  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request('POST', path, {
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });
  }

  /** @returns the new session's id. */
  async createSession(projectRoot: string, more: Json = {}): Promise<string> {
    const { status, body } = await this.post('/api/harness/session/create', {
      projectRoot,
      ...more,
    });
    if (status !== 200) throw new Error(`No session: ${JSON.stringify(body)}`);
    return (body['session'] as { sessionId: string }).sessionId;
  }

  /** Posts a turn that is expected to be accepted, and reads its stream. */
  async turn(
    sessionId: string,
    message: string,
    more: Json = {},
    headers: Record<string, string> = {},
  ): Promise<StreamReader> {
    const init = {
      method: 'POST',
      body: JSON.stringify({ sessionId, message, ...more }),
      headers: { 'content-type': 'application/json', ...headers },
    };
    return this.#open('/api/harness/turn', init);
  }

  /** Follows a turn, after a cursor if one is given. */
  follow(turnId: string, after?: string): Promise<StreamReader> {
    const headers: Record<string, string> = after === undefined ? {} : { 'last-event-id': after };
    return this.#open(`/api/harness/turns/${turnId}/events`, { headers });
  }

  async #open(path: string, init: RequestInit): Promise<StreamReader> {
    const connection = new AbortController();
    const headers = { ...this.headers, ...(init.headers as Record<string, string> | undefined) };
    const response = await fetch(this.url + path, { ...init, headers, signal: connection.signal });
    // A 204 means that the client has the whole stream.
    if (response.status !== 200 && response.status !== 204) {
      throw new Error(`No stream: ${response.status} ${await response.text()}`);
    }
    return new StreamReader(response, connection);
  }
}
