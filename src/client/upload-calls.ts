import { ConnectionLostError, TurnpikeError } from './client-errors.js';
import { readJson, type Line } from './transport.js';
import { multipartBody } from './multipart-body.js';
import { readRefusal } from './read-refusal.js';
import { findXhr, sendByXhr, type FormToSend } from './send-by-xhr.js';
import { readFileToSend, type FileToSend, type SentFile } from './sent-file.js';
import type { UploadedFile } from './server-types.js';
import { WatchedSignal } from './watched-signal.js';

export interface UploadProgress {
  /** Bytes of the file that went out. */
  sent: number;
  /** Bytes; undefined where the size of what is sent is not known. */
  total: number | undefined;
}

export interface UploadOptions {
  onProgress?(progress: UploadProgress): void;
  signal?: AbortSignal;
}

const path = '/api/harness/attachments';

/** Files for later turns: `client.uploads`. */
export class UploadCalls {
  constructor(private readonly line: Line) {}

  /**
   * Sends one file. Put what it gives among the `attachments` of a turn.
   *
   * @throws TurnpikeError ATTACHMENT_FAILURE that says why it was not taken; ConnectionLostError; the
   *   signal's reason.
   */
  async send(file: FileToSend, { onProgress, signal }: UploadOptions = {}): Promise<UploadedFile> {
    const sent = readFileToSend(file);
    let last = -1;
    const tell = (bytes: number): void => {
      // A form is a little longer than its file.
      const known = Math.min(bytes, sent.size ?? Infinity);
      if (known > last) onProgress?.({ sent: (last = known), total: sent.size });
    };
    const response = await this.#post(sent, tell, signal);
    if (!response.ok) throw await readRefusal(response, this.line.clock.now());
    const answer = readJson(await response.text(), response.status);
    const [uploaded] = (answer as { attachments: UploadedFile[] }).attachments;
    if (uploaded === undefined) throw notTaken(response.status);
    if (sent.size !== undefined) tell(sent.size);
    return uploaded;
  }

  #post(
    file: SentFile,
    onBytes: (bytes: number) => void,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    const Xhr = this.line.isPlatformFetch ? findXhr() : undefined;
    if (Xhr === undefined) return this.#stream(file, onBytes, signal);
    return this.#sendForm(file, onBytes, { Xhr, signal });
  }

  async #sendForm(
    { name, content }: SentFile,
    onBytes: (bytes: number) => void,
    { Xhr, signal }: Pick<FormToSend, 'Xhr' | 'signal'>,
  ): Promise<Response> {
    const { url, headers } = this.line;
    const form = new FormData();
    form.append('files', await toBlob(content), name);
    const sending = { Xhr, url: url + path, headers, form, onBytes, signal };
    return sendByXhr(sending).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw this.line.lost(error);
    });
  }

  async #stream(
    file: SentFile,
    onBytes: (bytes: number) => void,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    const { line } = this;
    let sent = 0;
    const boundary = `turnpike-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`;
    const body = multipartBody(file, boundary, (bytes) => onBytes((sent += bytes)));
    const sending = new WatchedSignal(line.clock, line.stallMs, signal);
    const init: RequestInit & { duplex: 'half' } = {
      method: 'POST',
      headers: { 'content-type': body.contentType },
      body: body.stream,
      // What a body that is a stream needs, and the types do not know.
      duplex: 'half',
      signal: sending.signal,
    };
    try {
      const { status, headers, text } = await readWhole(await line.send(path, init));
      return new Response(text, { status, headers });
    } catch (error) {
      signal?.throwIfAborted();
      throw error instanceof ConnectionLostError ? error : line.lost(error);
    } finally {
      // A server that refuses answers before it has everything: the rest is not sent.
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

/** What is no blob has to be read first: a form is sent whole. */
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
