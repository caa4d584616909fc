import { describe, expect, it } from '@jest/globals';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { boundedResponse, HttpTransport } from './http-transport.js';

async function read(
  body: string[],
  type: string,
  most: number,
): Promise<{ text: string; ends: number }> {
  let ends = 0;
  const stream = ReadableStream.from(body.map((piece) => new TextEncoder().encode(piece)));
  const response = new Response(stream as ReadableStream<Uint8Array>, {
    headers: { 'content-type': type },
  });
  const text = await boundedResponse(response, most, () => (ends += 1))
    .text()
    .catch((error: Error) => error.message);
  return { text, ends };
}

describe('boundedResponse', () => {
  it('passes on what is small enough', async () => {
    expect(await read(['01234', '56789'], 'application/json', 10)).toEqual({
      text: '0123456789',
      ends: 1,
    });
  });

  it('fails for a body that is too large', async () => {
    expect(await read(['01234', '567890'], 'application/json', 10)).toEqual({
      text: 'it sent more than 10 bytes in one message',
      ends: 1,
    });
  });

  it('lets a stream of events go on, and each event be so large', async () => {
    const event = 'data: 01234\r\n\r\n';
    const stream = Array.from({ length: 50 }, () => event);
    expect((await read(stream, 'text/event-stream', 20)).text).toBe(event.repeat(50));
    const cut = event.repeat(50).match(/.{1,3}/gs) ?? [];
    expect((await read(cut, 'text/event-stream; charset=utf-8', 20)).text).toBe(event.repeat(50));
    const lines = ['data: 0\n', 'data: 1\n', 'data: 2\n'];
    expect((await read(lines, 'text/event-stream', 20)).text).toContain('more than 20 bytes');
  });
});

describe('HttpTransport', () => {
  it('answers in the place of a lost answer, but not for a call that was cancelled', async () => {
    const clock = new ManualClock(0);
    const received: JSONRPCMessage[] = [];
    // A stream that ends without the answer.
    const fetchBy = async () =>
      new Response('', { headers: { 'content-type': 'text/event-stream' } });
    const url = 'http://127.0.0.1:1/mcp';
    const definition = { transport: 'streamable', url, headers: {} } as const;
    const transport = new HttpTransport(definition, { fetchBy, clock });
    Object.assign(transport, { onmessage: (message: JSONRPCMessage) => received.push(message) });
    await transport.start();
    for (const id of [1, 2]) {
      await transport.send({ jsonrpc: '2.0', id, method: 'tools/call', params: {} });
    }
    const params = { requestId: 1, reason: 'Too late' };
    await transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    await clock.advance(10_000);
    expect(received).toEqual([expect.objectContaining({ id: 2, error: expect.anything() })]);
  });
});
