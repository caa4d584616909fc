import { ConnectionLostError, TurnpikeError } from '../transport/client-errors.js';
import { parseJson, type Transport } from '../transport/transport.js';
import { multipartBody } from '../transport/multipart-body.js';
import { parseRefusal } from '../transport/parse-refusal.js';
import { findXhr, sendByXhr, type FormToSend } from '../transport/send-by-xhr.js';
import { toSentFile, type FileToSend, type SentFile } from '../transport/sent-file.js';
import type { UploadedFile } from '../server-types.js';
import { StallSignal } from '../transport/stall-signal.js';

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
    const response = await transport.open({ path: `${path}/${encodeURIComponent(id)}`, signal });
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
    const { url, headers } = this.transport;
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
    const sending = new StallSignal(transport.clock, transport.stallMs, signal);
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
