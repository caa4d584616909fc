import { ConnectionLostError, TurnpikeError, parseRefusal } from '../transport/client-errors.js';
import { parseJson, route, type Transport } from '../transport/transport.js';
import type { UploadedFile } from '../server-types.js';
import { StallSignal } from '../transport/receive-frames.js';

export interface UploadProgress {
  /** Bytes of the file that were sent. */
  sent: number;
  /** Bytes of the file; undefined where its size is not known. */
  total: number | undefined;
}

export interface UploadOptions {
  onProgress?(progress: UploadProgress): void;
  signal?: AbortSignal;
}

const path = '/api/harness/attachments';

/** Files for later turns, and files of messages: `client.uploads`. */
export class UploadCalls {
  constructor(private readonly transport: Transport) {}

  /**
   * Uploads one file. A turn takes the returned value among its `attachments`.
   *
   * @throws TurnpikeError ATTACHMENT_FAILURE for a file that is refused; ConnectionLostError; the
   *   signal's reason.
   */
  async send(file: FileToSend, { onProgress, signal }: UploadOptions = {}): Promise<UploadedFile> {
    const sent = toSentFile(file);
    let last = -1;
    const report = (bytes: number): void => {
      // The progress counts the form, which is a little longer than the file.
      const known = Math.min(bytes, sent.size ?? Infinity);
      if (known > last) onProgress?.({ sent: (last = known), total: sent.size });
    };
    const response = await this.#post(sent, report, signal);
    if (!response.ok) throw await parseRefusal(response, this.transport.clock.now());
    const answer = parseJson(await response.text(), response.status);
    const [uploaded] = (answer as { attachments: UploadedFile[] }).attachments;
    if (uploaded === undefined) throw notTaken(response.status);
    if (sent.size !== undefined) report(sent.size);
    return uploaded;
  }

  /**
   * Loads a file of a message, or an upload, by its id.
   *
   * @throws TurnpikeError ATTACHMENT_NOT_FOUND; ConnectionLostError; the signal's reason.
   */
  async load(id: string, { signal }: Pick<UploadOptions, 'signal'> = {}): Promise<Blob> {
    const { transport } = this;
    const response = await transport.open({ path: route`/api/harness/attachments/${id}`, signal });
    return response.blob().catch((error: unknown) => {
      signal?.throwIfAborted();
      throw transport.lost(error);
    });
  }

  #post(
    file: SentFile,
    onBytes: (bytes: number) => void,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    const Xhr = this.transport.isPlatformFetch ? findXhr() : undefined;
    if (Xhr === undefined) return this.#stream(file, onBytes, signal);
    return this.#sendForm(file, onBytes, { Xhr, signal });
  }

  async #sendForm(
    { name, content }: SentFile,
    onBytes: (bytes: number) => void,
    { Xhr, signal }: Pick<FormToSend, 'Xhr' | 'signal'>,
  ): Promise<Response> {
    const { url } = this.transport;
    const headers = await this.transport.headers();
    const form = new FormData();
    form.append('files', await toBlob(content), name);
    const sending = { Xhr, url: url + path, headers, form, onBytes, signal };
    return sendByXhr(sending).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw this.transport.lost(error);
    });
  }

  async #stream(
    file: SentFile,
    onBytes: (bytes: number) => void,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    const { transport } = this;
    let sent = 0;
    const boundary = `turnpike-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`;
    const body = multipartBody(file, boundary, (bytes) => onBytes((sent += bytes)));
    const sending = new StallSignal(transport, signal);
    const init: RequestInit & { duplex: 'half' } = {
      method: 'POST',
      headers: { 'content-type': body.contentType },
      body: body.stream,
      // A stream as body needs `duplex`, which the types do not know.
      duplex: 'half',
      signal: sending.signal,
    };
    try {
      const { status, headers, text } = await readWhole(await transport.send(path, init));
      return new Response(text, { status, headers });
    } catch (error) {
      signal?.throwIfAborted();
      throw error instanceof ConnectionLostError ? error : transport.lost(error);
    } finally {
      // A server that refuses answers before it has the whole body: the rest is not sent.
      sending.close();
    }
  }
}

async function readWhole(
  response: Response,
): Promise<{ status: number; headers: Headers; text: string }> {
  const { status, headers } = response;
  return { status, headers, text: await response.text() };
}

/** A form is sent whole: a stream is collected into a blob first. */
async function toBlob(content: SentFile['content']): Promise<Blob> {
  if (content instanceof Blob) return content;
  if (content instanceof ReadableStream) return new Response(content).blob();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of content) parts.push(new Uint8Array(chunk));
  return new Blob(parts);
}

function notTaken(status: number): TurnpikeError {
  return new TurnpikeError('ATTACHMENT_FAILURE', {
    status,
    message: 'The server took no file.',
    retryable: false,
  });
}

export interface MultipartBody {
  contentType: string;
  stream: ReadableStream<Uint8Array>;
}

/**
 * A form with one file, streamed: the file is never in memory as a whole.
 *
 * @param boundary random, so that the file does not contain it.
 * @param onBytes called with the length of each chunk of the file after it was taken.
 */
function multipartBody(
  file: SentFile,
  boundary: string,
  onBytes: (bytes: number) => void,
): MultipartBody {
  const bytes = write(file, boundary, onBytes);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    stream: new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const { done, value } = await bytes.next();
          if (done === true) controller.close();
          else controller.enqueue(value);
        },
        cancel: async () => void (await bytes.return(undefined)),
      },
      { highWaterMark: 0 },
    ),
  };
}

async function* write(
  { name, content }: SentFile,
  boundary: string,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  const text = new TextEncoder();
  yield text.encode(
    `--${boundary}\r\nContent-Disposition: form-data; name="files"; filename="${escapeName(name)}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
  );
  const stream = content instanceof Blob ? content.stream() : content;
  for await (const chunk of Symbol.asyncIterator in stream ? stream : chunksOf(stream)) {
    yield chunk;
    onBytes(chunk.byteLength);
  }
  yield text.encode(`\r\n--${boundary}--\r\n`);
}

/** Iterates a stream, which not every browser can do by itself. */
async function* chunksOf(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}

/** Escapes a file name as browsers do in forms. */
function escapeName(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** The members of a browser's XMLHttpRequest that are used here; Node's types have none. */
interface Xhr {
  readonly status: number;
  readonly responseText: string;
  readonly upload: {
    addEventListener(type: 'progress', listener: (event: { loaded: number }) => void): void;
  };
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getResponseHeader(name: string): string | null;
  addEventListener(type: 'load' | 'error' | 'abort', listener: () => void): void;
  send(body: FormData): void;
  abort(): void;
}

interface FormToSend {
  Xhr: new () => Xhr;
  url: string;
  headers: Readonly<Record<string, string>>;
  form: FormData;
  onBytes(bytes: number): void;
  signal: AbortSignal | undefined;
}

/** Undefined in Node and in workers. */
function findXhr(): FormToSend['Xhr'] | undefined {
  return Reflect.get(globalThis, 'XMLHttpRequest') as FormToSend['Xhr'] | undefined;
}

/**
 * Sends a form by XMLHttpRequest, which reports progress; the browsers' `fetch` does not.
 *
 * @throws Error when the server was not reached; the signal's reason.
 */
function sendByXhr(sending: FormToSend): Promise<Response> {
  const { Xhr, url, headers, form, onBytes, signal } = sending;
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const request = new Xhr();
    const leave = (): void => request.abort();
    const settle = (outcome: () => void) => () => {
      signal?.removeEventListener('abort', leave);
      outcome();
    };
    signal?.addEventListener('abort', leave, { once: true });
    request.open('POST', url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded }) => onBytes(loaded));
    request.addEventListener(
      'load',
      settle(() => resolve(answerOf(request))),
    );
    request.addEventListener(
      'error',
      settle(() => reject(new Error('The request failed'))),
    );
    request.addEventListener(
      'abort',
      settle(() => reject(signal?.reason)),
    );
    request.send(form);
  });
}

function answerOf(request: Xhr): Response {
  const retryAfter = request.getResponseHeader('retry-after');
  const headers = new Headers(retryAfter === null ? {} : { 'retry-after': retryAfter });
  // `null` for an empty body: `Response` refuses an empty string where the status allows no body.
  return new Response(request.responseText || null, { status: request.status, headers });
}

/** Bytes that are produced as they are asked for, such as a file that is opened for reading. */
export type ByteStream = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;

/** A file to send: a `File`, or bytes and their name. */
export type FileToSend =
  | File
  | { name: string; content: Blob | Uint8Array }
  | {
      name: string;
      content: ByteStream;
      /** Bytes, for progress alone. */
      size?: number;
    };

interface SentFile {
  name: string;
  content: Blob | ByteStream;
  /** Bytes. */
  size: number | undefined;
}

function toSentFile(file: FileToSend): SentFile {
  if (!('content' in file)) return { name: file.name, content: file, size: file.size };
  const { name, content } = file;
  if (content instanceof Blob) return { name, content, size: content.size };
  if (content instanceof Uint8Array) {
    // A copy: a view of shared memory is refused by `Blob`.
    const blob = new Blob([new Uint8Array(content)]);
    return { name, content: blob, size: blob.size };
  }
  return { name, content, size: 'size' in file ? file.size : undefined };
}
