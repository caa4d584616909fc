import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { openInnerFetch, type InnerFetch } from './inner-fetch.js';

const url = 'http://host.example/agents/x?y=1';

describe('openInnerFetch', () => {
  const opened: InnerFetch[] = [];
  afterEach(() => {
    for (const one of opened.splice(0)) one.close();
  });
  const open = (
    handle: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>,
  ): InnerFetch => {
    // A handler that fails fails the request that the test waits for.
    const inner = openInnerFetch((request, response) => {
      Promise.resolve(handle(request, response)).catch((error: unknown) =>
        response.destroy(error instanceof Error ? error : undefined),
      );
    });
    opened.push(inner);
    return inner;
  };

  it('passes a request on as it is, without the headers of its connection', async () => {
    const inner = open(async (request, response) => {
      const { method, headers, url: path } = request;
      response.appendHeader('Set-Cookie', 'a=1').appendHeader('Set-Cookie', 'b=2');
      response.end(JSON.stringify({ method, path, headers, body: await text(request) }));
    });
    const headers = {
      'x-user': 'ada',
      connection: 'upgrade',
      upgrade: 'h2c',
      expect: '100-continue',
    };
    const answer = await inner.answer(new Request(url, { method: 'POST', body: 'Hello', headers }));
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect([answer.headers.get('transfer-encoding'), answer.headers.get('connection')]).toEqual([
      null,
      null,
    ]);
    const { headers: got, ...rest } = (await answer.json()) as Record<
      string,
      Record<string, string>
    >;
    expect(rest).toEqual({ method: 'POST', path: '/agents/x?y=1', body: 'Hello' });
    expect(got).toMatchObject({ host: 'host.example', 'x-user': 'ada', connection: 'close' });
    expect(Object.keys(got ?? {})).not.toEqual(expect.arrayContaining(['upgrade']));
    expect(got).not.toHaveProperty('expect');
  });

  it.each([
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 304],
  ])('answers without a body: %s %i', async (method, status) => {
    const inner = open((_request, response) => {
      response.writeHead(status, { 'x-seen': 'yes' }).end();
    });
    const answer = await inner.answer(new Request(url, { method }));
    expect([answer.status, answer.headers.get('x-seen'), await answer.text()]).toEqual([
      status,
      'yes',
      '',
    ]);
  });

  it('streams an answer, at the pace of its reader', async () => {
    let accepted = 0;
    let stalled: () => void = () => undefined;
    const isStalled = new Promise<void>((resolve) => (stalled = resolve));
    const chunk = Buffer.alloc(64 * 1_024);
    const chunks = 256;
    const inner = open(async (_request, response) => {
      for (; accepted < chunks; accepted += 1) {
        if (response.write(chunk)) continue;
        stalled();
        await once(response, 'drain');
      }
      response.end();
    });
    const answer = await inner.answer(new Request(url));
    await isStalled;
    // Whatever could go on without a reader does so before this.
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(accepted).toBeLessThan(16);
    let size = 0;
    for await (const part of answer.body ?? []) size += part.byteLength;
    expect(size).toBe(chunks * chunk.length);
  });

  it.each(['abort of the request', 'cancelled answer'])(
    'tells the handler that the client left: %s',
    async (how) => {
      let left: () => void = () => undefined;
      const hasLeft = new Promise<void>((resolve) => (left = resolve));
      const inner = open((_request, response) => {
        response.once('close', left);
        response.write('data: 1\n\n');
      });
      const leaving = new AbortController();
      const answer = await inner.answer(new Request(url, { signal: leaving.signal }));
      const reader = answer.body?.getReader();
      expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: 1\n\n');
      if (how === 'cancelled answer') await reader?.cancel();
      else {
        leaving.abort();
        await expect(reader?.read()).rejects.toThrow('aborted');
      }
      await hasLeft;
    },
  );

  it('shows the handler that somebody else has read the body', async () => {
    const inner = open((request, response) => {
      response.end(String(request.readableDidRead));
    });
    const asked = new Request(url, { method: 'POST', body: 'Hello' });
    await asked.text();
    expect(await (await inner.answer(asked)).text()).toBe('true');
    expect(await (await inner.answer(new Request(url, { method: 'POST' }))).text()).toBe('false');
  });

  it('takes a body that streams', async () => {
    const inner = open(async (request, response) => {
      response.end(await text(request));
    });
    const body = new ReadableStream({
      start: (controller) => {
        controller.enqueue(Buffer.from('Hel'));
        controller.enqueue(Buffer.from('lo'));
        controller.close();
      },
    });
    const init = { method: 'POST', body, duplex: 'half' } as const;
    expect(await (await inner.answer(new Request(url, init))).text()).toBe('Hello');
  });
});
