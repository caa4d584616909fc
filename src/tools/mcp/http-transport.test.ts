import { describe, expect, it } from '@jest/globals';
import { boundedResponse } from './http-transport.js';

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
