import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { MIMEType } from 'node:util';
import type { Readable } from 'node:stream';
import { Dicer } from '@fastify/busboy';
import { invalidRequest, type TypedError, isTypedError } from '../../errors/typed-error.js';
import type { ReceivedFile } from '../blob-store.js';
import { cleanName, refuseFileSize } from '../file-limits.js';
import { type ReceiveOptions, limitBytes, fieldTooLarge, fileTooLarge } from '../receive-limits.js';
import { RequestBody } from '../../http/request-body.js';
import { untilAborted } from '../../platform/async/deadlines.js';

/** Characters of a boundary that the parser takes; the standard has 70 (RFC 2046, section 5.1.1). */
const MAX_BOUNDARY_CHARS = 252;

export interface MultipartOptions extends ReceiveOptions {
  /** Names of the form's text fields, each allowed once. */
  fields: readonly string[];
  /** The field of every file; absent: any part with a file name is a file. */
  fileField?: string;
  /** A file over `maxFileBytes` refuses the request (default), or is skipped alone. */
  tooLarge?: 'refuse' | 'skip';
}

/** A file that was not stored. */
export interface SkippedFile {
  /** Cleaned, as for a received file. */
  name: string;
  reason: string;
}

export interface ReceivedForm {
  fields: Record<string, string>;
  /** Stored files, in the order they were sent. */
  files: ReceivedFile[];
  /** Skipped files, in the order they were sent; empty unless `tooLarge` is `skip`. */
  skipped: SkippedFile[];
}

/**
 * Receives a form. Files go to the store while they come; those of a request that is refused later are
 * unused, and collected.
 *
 * @throws TypedError 400 `INVALID_REQUEST`, 408 `REQUEST_TIMEOUT`, 413 `BODY_TOO_LARGE` or
 * `FILE_TOO_LARGE` (not with `tooLarge: 'skip'`); ClientGoneError.
 */
export async function receiveMultipart(
  request: IncomingMessage,
  options: MultipartOptions,
): Promise<ReceivedForm> {
  const { limits, clock } = options;
  return new RequestBody(request, limits, clock).receive(async (body) => {
    const boundary = boundaryOf(request.headers['content-type'] ?? '');
    const form = new FormReader(options);
    await parseParts(body, boundary, form);
    return form.received();
  });
}

/** Takes the parts of a form, each as soon as its headers are complete. */
class FormReader {
  /** Parts of the form at most, with headers or without. */
  readonly maxParts: number;
  readonly #fields = new Map<string, string>();
  readonly #files: (ReceivedFile | SkippedFile)[] = [];
  #fileCount = 0;

  constructor(private readonly options: MultipartOptions) {
    // A part above the limit passes here: `take` names the field that has too many.
    this.maxParts = options.fields.length + options.limits.maxFiles + 1;
  }

  /** The error for a form of too many files. */
  tooMany(): TypedError {
    const { maxFiles } = this.options.limits;
    const message = `A request takes ${maxFiles} files at most. Send fewer, and each field once.`;
    return invalidRequest(message);
  }

  async receivePart(part: FormPart): Promise<void> {
    const { fields, fileField } = this.options;
    if (fields.includes(part.name)) return this.#takeField(part);
    const isFile = fileField === undefined ? part.fileName !== undefined : part.name === fileField;
    if (isFile) return this.#takeFile(part);
    const name = JSON.stringify(part.name.slice(0, 100));
    const known = [...fields, fileField ?? 'files with their names'].join(', ');
    throw invalidRequest(`The form has an unknown part ${name}. Known parts: ${known}.`);
  }

  received(): ReceivedForm {
    const files: ReceivedFile[] = [];
    const skipped: SkippedFile[] = [];
    for (const file of this.#files) {
      if ('reason' in file) skipped.push(file);
      else files.push(file);
    }
    return { fields: Object.fromEntries(this.#fields), files, skipped };
  }

  async #takeFile({ fileName, content }: FormPart): Promise<void> {
    const { maxFiles, maxFileBytes } = this.options.limits;
    const index = this.#fileCount;
    this.#fileCount += 1;
    if (index >= maxFiles) throw this.tooMany();
    const name = cleanName(fileName);
    // The stream stays open when the loop ends early: the parser waits for the end of each part.
    const chunks = content.iterator({ destroyOnReturn: false });
    const limited = limitBytes(chunks, maxFileBytes, () => fileTooLarge(name, maxFileBytes));
    try {
      this.#files[index] = { name, ...(await this.options.store.put(limited)) };
    } catch (error) {
      if (this.options.tooLarge !== 'skip' || !isTypedError(error, 'FILE_TOO_LARGE')) throw error;
      this.#files[index] = { name, reason: refuseFileSize(maxFileBytes) };
      await finished(content.resume());
    }
  }

  async #takeField({ name, content }: FormPart): Promise<void> {
    if (this.#fields.has(name)) throw invalidRequest(`${name} must be sent once`);
    // Set before the content is read: a second field of the name may come meanwhile.
    this.#fields.set(name, '');
    const { maxFieldBytes } = this.options.limits;
    const refuse = () => fieldTooLarge(name, maxFieldBytes);
    const value = await buffer(limitBytes(content, maxFieldBytes, refuse));
    this.#fields.set(name, value.toString('utf8'));
  }
}

function boundaryOf(contentType: string): string {
  const how = 'Send it as "curl -F" does, and let the client set the header.';
  try {
    const type = new MIMEType(contentType);
    const boundary = type.params.get('boundary') ?? '';
    const isForm = type.essence === 'multipart/form-data' && boundary !== '';
    if (isForm && boundary.length <= MAX_BOUNDARY_CHARS) return boundary;
  } catch {
    // A header that is no MIME type has no boundary.
  }
  throw invalidRequest(
    `Content-Type must be multipart/form-data with a boundary of at most ${MAX_BOUNDARY_CHARS} characters. ${how}`,
  );
}

interface FormPart extends ContentDisposition {
  content: Readable;
}

/**
 * Parses a multipart form while it comes, with backpressure from the parts' contents.
 *
 * The parts come from busboy's parser, Dicer, and not from busboy's own events: those leave out, without a word, a part
 * without a Content-Disposition, one without a head, and a file whose name has a line feed, where this refuses the form.
 *
 * @throws TypedError 400 when the form is not whole; what the form throws.
 */
async function parseParts(body: RequestBody, boundary: string, form: FormReader): Promise<void> {
  const dicer = new Dicer({ boundary });
  dicer.on('error', (error) => body.refuse(malformed(error.message)));
  const { opened, taken } = takeEach(dicer, body, form);
  let isFinished = false;
  const finished = new Promise<void>((resolve) => {
    dicer.once('finish', () => {
      isFinished = true;
      resolve();
    });
  });
  try {
    for await (const chunk of body.read()) {
      // The epilogue after the form is ignored.
      if (isFinished) continue;
      // The parser never calls back for the last chunk when a part was under backpressure.
      await untilAborted(Promise.race([write(dicer, chunk), finished]), body.signal);
    }
    dicer.end();
    await untilAborted(finished, body.signal);
    await Promise.all(taken);
    if (taken.length < opened.length) throw malformed('a part has no head');
  } catch (error) {
    body.refuse(error);
  }
  if (!body.signal.aborted) return;
  for (const part of opened) part.destroy(body.signal.reason as Error);
  await Promise.all(taken);
  throw body.signal.reason;
}

/** @returns the parts so far, and the promises of their handlers, which never reject. */
function takeEach(
  dicer: Dicer,
  body: RequestBody,
  form: FormReader,
): { opened: Readable[]; taken: Promise<void>[] } {
  const opened: Readable[] = [];
  const taken: Promise<void>[] = [];
  dicer.on('part', (part) => {
    // Thrown through the parser and out of `write`: one chunk could open thousands of parts before
    // `write` returns.
    if (opened.length >= form.maxParts) throw form.tooMany();
    opened.push(part);
    // The parser emits the same error.
    part.on('error', () => undefined);
    part.once('header', (header) => {
      if (body.signal.aborted) part.resume();
      else taken.push(takePart(header, part, form).catch(body.refuse));
    });
  });
  return { opened, taken };
}

function write(dicer: Dicer, chunk: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    dicer.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}

async function takePart(header: object, content: Readable, form: FormReader): Promise<void> {
  const values = header as Record<string, string[] | undefined>;
  const disposition = parseContentDisposition(values['content-disposition']?.[0] ?? '');
  if (disposition === undefined) {
    throw malformed('a part has no Content-Disposition: form-data with a name');
  }
  await form.receivePart({ ...disposition, content });
}

function malformed(reason: string): TypedError {
  return invalidRequest(
    `The body is not a complete multipart form: ${reason}. Send it as multipart/form-data, as "curl -F" does.`,
  );
}

/** The field and file name of a form's part. */
interface ContentDisposition {
  /** Name of the field. */
  name: string;
  /** Name of the file as sent; undefined when the part has none. */
  fileName: string | undefined;
}

const parameter =
  /;\s*([\w!#$&+^`|~.-]+)(\*?)\s*=\s*(?:"((?:[^"\\]|\\["\\]|\\(?!["\\]))*)"|([^\s;"]*))\s*/gy;

/** The three characters that browsers escape. */
const escaped = /%(22|0[Dd]|0[Aa])/g;

/**
 * Parses a part's Content-Disposition; undefined when it is no `form-data` with a name.
 *
 * @param header the header's bytes, which are UTF-8, one character each.
 */
export function parseContentDisposition(header: string): ContentDisposition | undefined {
  const text = Buffer.from(header, 'latin1').toString('utf8').trim();
  const type = /^form-data\s*(?=;)/i.exec(text);
  if (type === null) return undefined;
  const values = new Map<string, string>();
  parameter.lastIndex = type[0].length;
  let end = parameter.lastIndex;
  for (let match = parameter.exec(text); match !== null; match = parameter.exec(text)) {
    end = parameter.lastIndex;
    const [, key = '', star = '', quoted, bare = ''] = match;
    const value = star === '' ? unquote(quoted, bare) : decodeExtended(quoted ?? bare);
    if (value === undefined) return undefined;
    values.set(key.toLowerCase() + star, value);
  }
  const name = values.get('name');
  if (name === undefined || end !== text.length) return undefined;
  return { name, fileName: values.get('filename*') ?? values.get('filename') };
}

function unquote(quoted: string | undefined, bare: string): string {
  if (quoted === undefined) return bare;
  return quoted.replace(/\\(["\\])/g, '$1').replace(escaped, (code) => decodeURIComponent(code));
}

/** Decodes an extended value of RFC 5987, as `utf-8'en'a%20b`; undefined when it is none. */
function decodeExtended(value: string): string | undefined {
  const match = /^utf-8'[^']*'(.*)$/i.exec(value);
  if (match === null) return undefined;
  try {
    return decodeURIComponent(match[1] ?? '');
  } catch {
    return undefined;
  }
}
