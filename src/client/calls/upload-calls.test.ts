import { afterEach, describe, expect, it } from '@jest/globals';
import { TurnpikeClient, type UploadProgress } from '../turnpike-client.js';

const uploaded = { id: 'att_1', name: 'a.txt', mimeType: 'text/plain', size: 5 };

interface Received {
  name: string;
  text: string;
  key: string | null;
}

/** A server that takes a form by `fetch` and by XMLHttpRequest. */
async function receive(request: Request): Promise<Received> {
  const file = (await request.formData()).get('files') as File;
  const { name } = file;
  return { name, text: await file.text(), key: request.headers.get('authorization') };
}

function streaming(answer = Response.json({ attachments: [uploaded], errors: [] })) {
  const received: Received[] = [];
  const client = new TurnpikeClient({
    url: 'http://turnpike.test',
    key: 'tpk_1',
    fetch: async (input, init) => {
      received.push(await receive(new Request(input, init)));
      return answer;
    },
  });
  return { client, received };
}

async function* inPieces(...pieces: string[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield new TextEncoder().encode(piece);
}

describe('sending a file', () => {
  it.each([
    ['a file', new File(['hello'], 'a.txt'), 'a.txt', 5],
    ['a blob', { name: 'b "1".txt', content: new Blob(['hello']) }, 'b "1".txt', 5],
    ['bytes', { name: 'ü.txt', content: new TextEncoder().encode('hello') }, 'ü.txt', 5],
    ['a stream of a known size', { name: 's', content: inPieces('hel', 'lo'), size: 5 }, 's', 5],
    ['a stream', { name: 's', content: inPieces('hel', 'lo') }, 's', undefined],
    ['a web stream', { name: 'w', content: new Blob(['hello']).stream() }, 'w', undefined],
  ])('takes %s', async (_kind, file, name, total) => {
    const { client, received } = streaming();
    const progress: UploadProgress[] = [];
    const sent = await client.uploads.send(file, { onProgress: (one) => progress.push(one) });
    expect(sent).toEqual(uploaded);
    expect(received).toEqual([{ name, text: 'hello', key: 'Bearer tpk_1' }]);
    expect(progress.at(-1)).toEqual({ sent: 5, total });
    expect(progress.map((one) => one.sent)).toEqual([...new Set(progress.map((one) => one.sent))]);
  });

  it('says why it was not taken', async () => {
    const body = { error: { type: 'ATTACHMENT_FAILURE', message: 'No file was taken. a: b' } };
    const { client } = streaming(Response.json(body, { status: 400 }));
    const sending = client.uploads.send(new File(['x'], 'a'));
    await expect(sending).rejects.toMatchObject({ code: 'ATTACHMENT_FAILURE', status: 400 });
  });

  it('reads no file for a request that is left', async () => {
    const { client } = streaming();
    const signal = AbortSignal.abort(new Error('enough'));
    const sending = client.uploads.send(new File(['x'], 'a'), { signal });
    await expect(sending).rejects.toThrow('enough');
  });
});

/** A browser's XMLHttpRequest: it reports progress that counts the form's own bytes. */
class BrowserRequest {
  static asked: { url: string; headers: Map<string, string>; aborted: boolean }[] = [];
  static hangs = false;
  static answer = { status: 200, text: JSON.stringify({ attachments: [uploaded], errors: [] }) };
  readonly status = BrowserRequest.answer.status;
  readonly responseText = BrowserRequest.answer.text;
  #asked = { url: '', headers: new Map<string, string>(), aborted: false };
  #listeners = new Map<string, () => void>();
  #tell: (event: { loaded: number }) => void = () => undefined;
  readonly upload = {
    addEventListener: (_type: string, listener: (event: { loaded: number }) => void): void => {
      this.#tell = listener;
    },
  };
  open(_method: string, url: string): void {
    this.#asked.url = url;
    BrowserRequest.asked.push(this.#asked);
  }
  setRequestHeader(name: string, value: string): void {
    this.#asked.headers.set(name, value);
  }
  getResponseHeader(): null {
    return null;
  }
  addEventListener(type: string, listener: () => void): void {
    this.#listeners.set(type, listener);
  }
  send(): void {
    this.#tell({ loaded: 3 });
    this.#tell({ loaded: 150 });
    if (!BrowserRequest.hangs) this.#listeners.get('load')?.();
  }
  abort(): void {
    this.#asked.aborted = true;
    this.#listeners.get('abort')?.();
  }
}

describe('sending a file from a browser', () => {
  const { answer } = BrowserRequest;
  afterEach(() => {
    BrowserRequest.answer = answer;
    Reflect.deleteProperty(globalThis, 'XMLHttpRequest');
    BrowserRequest.asked = [];
    BrowserRequest.hangs = false;
  });

  it('counts the bytes of the file, not those of the form', async () => {
    Reflect.set(globalThis, 'XMLHttpRequest', BrowserRequest);
    const client = new TurnpikeClient({ url: 'http://turnpike.test', key: 'tpk_1' });
    const progress: UploadProgress[] = [];
    const onProgress = (one: UploadProgress): void => void progress.push(one);
    expect(await client.uploads.send(new File(['hello'], 'a'), { onProgress })).toEqual(uploaded);
    expect(progress).toEqual([
      { sent: 3, total: 5 },
      { sent: 5, total: 5 },
    ]);
    const [asked] = BrowserRequest.asked;
    expect(asked?.url).toBe('http://turnpike.test/api/harness/attachments');
    expect(asked?.headers.get('authorization')).toBe('Bearer tpk_1');
  });

  it('loads a file of a message with the key, and throws the refusal of one that is gone', async () => {
    const asked: Request[] = [];
    const fetched = (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const request = new Request(url, init);
      asked.push(request);
      const isGone = request.url.endsWith('/file_2_0');
      const refusal = { code: 'ATTACHMENT_NOT_FOUND', detail: 'There is no such file.' };
      return Promise.resolve(
        isGone ? Response.json(refusal, { status: 404 }) : new Response('hello'),
      );
    };
    const client = new TurnpikeClient({
      url: 'http://turnpike.test',
      key: 'tpk_1',
      fetch: fetched,
    });
    expect(await (await client.uploads.load('file_1_0')).text()).toBe('hello');
    expect(asked[0]?.url).toBe('http://turnpike.test/api/harness/attachments/file_1_0');
    expect(asked[0]?.headers.get('authorization')).toBe('Bearer tpk_1');
    await expect(client.uploads.load('file_2_0')).rejects.toMatchObject({ status: 404 });
  });

  it('says so where the answer has no body', async () => {
    Reflect.set(globalThis, 'XMLHttpRequest', BrowserRequest);
    BrowserRequest.answer = { status: 204, text: '' };
    const client = new TurnpikeClient({ url: 'http://turnpike.test' });
    const sending = client.uploads.send(new File(['hello'], 'a'));
    await expect(sending).rejects.toMatchObject({ code: 'UNREADABLE_ANSWER', status: 204 });
  });

  it('leaves when its signal says so', async () => {
    Reflect.set(globalThis, 'XMLHttpRequest', BrowserRequest);
    BrowserRequest.hangs = true;
    const leaving = new AbortController();
    const client = new TurnpikeClient({ url: 'http://turnpike.test' });
    const sending = client.uploads.send(new File(['hello'], 'a'), {
      signal: leaving.signal,
      onProgress: () => queueMicrotask(() => leaving.abort(new Error('enough'))),
    });
    await expect(sending).rejects.toThrow('enough');
    expect(BrowserRequest.asked[0]?.aborted).toBe(true);
  });
});
