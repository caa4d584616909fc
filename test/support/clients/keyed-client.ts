import http from 'node:http';
import { NewKeyDto } from '../../../src/access/keys/key.dto.js';
import { takeRequest } from '../../../src/http/request.pipe.js';
import type { Clock } from '../../../src/platform/clock.js';
import type { Database } from '../../../src/storage/connection.js';
import { openKeys } from '../access/open-access.js';

export interface KeyedAnswer {
  status: number;
  headers: Headers;
  /** The body as text. */
  text: string;
  body: Record<string, unknown>;
}

/** Calls with a key, or without one. */
export class KeyedClient {
  constructor(
    readonly url: string,
    readonly key?: string,
    /** What browsers send by themselves: a cookie. */
    private readonly cookies: Record<string, string> = {},
  ) {}

  /** The headers that say who sends a request. */
  get credential(): Record<string, string> {
    return this.key === undefined ? this.cookies : { authorization: `Bearer ${this.key}` };
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    more: Record<string, string> = {},
  ): Promise<KeyedAnswer> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        'content-type': 'application/json',
        ...this.credential,
        ...more,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const { status, headers } = response;
    return { status, headers, text, body: parse(text) };
  }
}

/**
 * Makes a key in the database itself. A running server may not see it for a second: make it before
 * the server answers, or through the server.
 */
export async function makeKey(
  { db, clock }: { db: Database; clock: Clock },
  body: Record<string, unknown>,
): Promise<{ id: string; secret: string }> {
  const { key, secret } = await openKeys({ db, clock }).keyService.create(
    await takeRequest(NewKeyDto, body),
    { id: 'test' },
  );
  return { id: key.id, secret };
}

/** A client with a key of its own, which `makeKey` makes. */
export async function keyedClient(
  server: { db: Database; clock: Clock; url: string },
  body: Record<string, unknown>,
): Promise<KeyedClient> {
  return new KeyedClient(server.url, (await makeKey(server, body)).secret);
}

/** A request whose head is sent as it is given: names and values in turn. */
export function sendRaw(
  url: string,
  asked: { path: string; headers: readonly string[]; method?: string },
): Promise<{ status: number; text: string; headers: http.IncomingHttpHeaders }> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const { path, headers, method = 'GET' } = asked;
    const request = http.request(
      { host: hostname, port, path, method, headers: [...headers], agent: false, setHost: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
        );
      },
    );
    request.on('error', reject).end();
  });
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
