import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { fixSseHeaders } from './sse-headers.js';

/** The headers a client gets of what `answer` writes behind the middleware. */
async function headersOf(answer: (response: ServerResponse) => void): Promise<Headers> {
  const server = createServer((request, response) => {
    fixSseHeaders(request, response, () => {
      answer(response);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}`);
    expect(response.status).toBe(200);
    return response.headers;
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

const frameworks = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'private, no-store' };

describe('fixSseHeaders', () => {
  it.each<[string, (response: ServerResponse) => void]>([
    ['with headers', (response) => response.writeHead(200, { ...frameworks, 'X-Turn-Id': 't' })],
    [
      'with a reason and headers',
      (response) => response.writeHead(200, 'Fine', { ...frameworks, 'X-Turn-Id': 't' }),
    ],
  ])('gives a stream written %s the contract’s, and keeps the rest', async (_how, answer) => {
    const headers = await headersOf(answer);
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-cache, no-transform');
    expect(headers.get('x-turn-id')).toBe('t');
  });

  it.each<[string, (response: ServerResponse) => void, string | null]>([
    ['no head', () => undefined, null],
    ['no headers', (response) => response.writeHead(200), null],
    [
      'JSON',
      (response) => response.writeHead(200, { 'Content-Type': 'application/json' }),
      'application/json',
    ],
  ])('leaves an answer with %s alone', async (_what, answer, contentType) => {
    const headers = await headersOf(answer);
    expect([headers.get('content-type'), headers.get('cache-control')]).toEqual([
      contentType,
      null,
    ]);
  });
});
