import { beforeAll, describe, expect, it } from '@jest/globals';
import { EventEmitter, once } from 'node:events';
import { type ServerResponse } from 'node:http';
import { Agent } from 'undici';
import { memoryInUse } from '../../../test/support/memory-in-use.js';
import { dispatchFetch, StreamedResponse } from './dispatch-fetch.js';
import { serveHttp } from '../../../test/support/serve-http.js';
import { useShared } from '../../../test/support/suite.js';

describe('dispatchFetch', () => {
  let url: string;
  const fetchBy = dispatchFetch(new Agent());
  const sent = new EventEmitter();
  const served = useShared(() =>
    serveHttp((request, response) => {
      const { url: path = '' } = request;
      if (path === '/stream') {
        response.writeHead(200, {
          'content-type': 'text/event-stream; charset=utf-8',
          'request-id': 'req_1',
        });
        response.flushHeaders();
        request.resume().once('end', () => sent.emit('stream', response));
      } else if (path === '/away') response.writeHead(302, { location: '/' }).end();
      else if (path === '/silent') sent.emit('silent');
      else if (path === '/refused') {
        response.writeHead(429, { 'retry-after': '7', 'set-cookie': ['a=1', 'b=2'] }).end('slow');
      } else {
        request.pipe(response.writeHead(200, { 'content-type': 'text/plain' }));
      }
    }),
  );
  beforeAll(() => {
    ({ url } = served);
  });

  async function open(init?: RequestInit) {
    const opened = once(sent, 'stream');
    const response = await fetchBy(`${url}/stream`, init);
    const [sender] = (await opened) as [ServerResponse];
    if (!(response instanceof StreamedResponse)) throw new Error('not a stream');
    return { response, sender };
  }
  /** The next chunk as a text; `end` where the body ended before. */
  const next = async (response: StreamedResponse): Promise<string> => {
    let text = '';
    const hasCome = await response.readUntil((chunk) => {
      text = Buffer.from(chunk).toString();
      return true;
    });
    return hasCome ? text : 'end';
  };

  it('sends a text, and reads the answer whole', async () => {
    const response = await fetchBy(`${url}/echo?a=1`, { method: 'POST', body: 'Grüße' });
    expect(response.headers.get('content-type')).toBe('text/plain');
    expect([response.status, await response.text()]).toEqual([200, 'Grüße']);
  });

  it('answers a refusal and a redirect as they are', async () => {
    const refused = await fetchBy(`${url}/refused`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '7']);
    expect(refused.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(await refused.text()).toBe('slow');
    expect((await fetchBy(`${url}/away`)).status).toBe(302);
  });

  it('hands the chunks of a stream on as they come', async () => {
    const { response, sender } = await open();
    expect([response.status, response.body]).toEqual([200, null]);
    // The headers that are read are kept, no others.
    expect([...response.headers]).toEqual([
      ['content-type', 'text/event-stream; charset=utf-8'],
      ['request-id', 'req_1'],
    ]);
    const first = next(response);
    sender.write('a');
    expect(await first).toBe('a');
    sender.write('b');
    expect(await next(response)).toBe('b');
    sender.end();
    expect(await next(response)).toBe('end');
    expect(await next(response)).toBe('end');
  });

  it('fails with whoever takes the chunks, who gets no other', async () => {
    const { response, sender } = await open();
    const fault = new Error('no');
    let taken = 0;
    const reading = response.readUntil(() => {
      taken += 1;
      throw fault;
    });
    sender.write('a');
    await expect(reading).rejects.toBe(fault);
    sender.end('b');
    expect([await next(response), taken]).toEqual(['b', 1]);
  });

  it('loses nothing of a body that comes faster than it is read', async () => {
    const { sender, response } = await open();
    const bytes = 32 * 1024 * 1024;
    sender.end('x'.repeat(bytes));
    let received = 0;
    await response.readUntil((chunk) => {
      received += chunk.length;
      return false;
    });
    expect(received).toBe(bytes);
  });

  it('loses nothing of many small chunks that were not read for a while', async () => {
    const { sender, response } = await open();
    const words = Array.from({ length: 2000 }, (_, index) => `word${index} `);
    for (const word of words) sender.write(word);
    sender.end();
    await once(sender, 'close');
    let received = await next(response);
    await response.readUntil((chunk) => {
      received += Buffer.from(chunk).toString();
      return false;
    });
    expect(received).toBe(words.join(''));
  });

  it('holds nothing of a body that is sent, while its answer streams', async () => {
    const bytes = 32 * 1024 * 1024;
    const before = await memoryInUse();
    const { sender, response } = await open({ method: 'POST', body: 'x'.repeat(bytes) });
    const after = await memoryInUse();
    expect(after.buffers - before.buffers).toBeLessThan(bytes / 4);
    expect(after.heap - before.heap).toBeLessThan(bytes / 4);
    sender.end();
    expect(await next(response)).toBe('end');
  });

  it('says that a stream broke off', async () => {
    const { sender, response } = await open();
    sender.write('a');
    expect(await next(response)).toBe('a');
    sender.destroy();
    await expect(next(response)).rejects.toMatchObject({
      name: 'TypeError',
      message: 'terminated',
    });
  });

  it.each(['a stream', 'an answer'])('ends %s with the reason of its signal', async (what) => {
    const controller = new AbortController();
    const reason = new Error('enough');
    if (what === 'a stream') {
      const { response } = await open({ signal: controller.signal });
      const read = next(response);
      controller.abort(reason);
      await expect(read).rejects.toBe(reason);
    } else {
      const asked = once(sent, 'silent');
      const answer = fetchBy(`${url}/silent`, { signal: controller.signal });
      const ended = expect(answer).rejects.toBe(reason);
      await asked;
      controller.abort(reason);
      await ended;
    }
    await expect(fetchBy(url, { signal: controller.signal })).rejects.toBe(reason);
  });

  it('forgets what was not read when its signal aborts', async () => {
    const came = new EventEmitter();
    const agent = new Agent().compose(
      (dispatch) => (options, handler) =>
        dispatch(options, {
          onRequestStart: (...given) => handler.onRequestStart?.(...given),
          onResponseStart: (...given) => handler.onResponseStart?.(...given),
          onResponseError: (...given) => handler.onResponseError?.(...given),
          onResponseData: (...given) => {
            handler.onResponseData?.(...given);
            came.emit('chunk');
          },
        }),
    );
    const controller = new AbortController();
    const opened = once(sent, 'stream');
    const { signal } = controller;
    const response = await dispatchFetch(agent)(`${url}/stream`, { signal });
    const [sender] = (await opened) as [ServerResponse];
    const chunk = once(came, 'chunk');
    sender.write('a');
    await chunk;
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(next(response as StreamedResponse)).rejects.toBe(reason);
  });

  it('says that nobody listens', async () => {
    const failure = await fetchBy('http://127.0.0.1:1/').catch((error: unknown) => error);
    expect(failure).toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNREFUSED' } });
  });
});
