import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { MIMEType } from 'node:util';
import { invalidRequest, type TypedError, isTypedError } from '../../errors/typed-error.js';
import type { ReceivedFile } from '../received-file.js';
import { cleanName } from '../clean-name.js';
import { refuseFileSize } from '../check-attachment.js';
import { limitBytes } from './limit-bytes.js';
import { parseParts, type FormPart, type PartRules } from './parse-parts.js';
import { fieldTooLarge, fileTooLarge } from './receive-errors.js';
import type { ReceiveOptions } from '../receive-options.js';
import { RequestBody } from '../../http/request-body.js';

/** Characters of a boundary that the parser takes; the standard has 70 (RFC 2046, section 5.1.1). */
const LONGEST_BOUNDARY = 252;

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

class FormReader implements PartRules {
  readonly maxParts: number;
  readonly #fields = new Map<string, string>();
  readonly #files: (ReceivedFile | SkippedFile)[] = [];
  #fileCount = 0;

  constructor(private readonly options: MultipartOptions) {
    // A part above the limit passes here: `take` names the field that has too many.
    this.maxParts = options.fields.length + options.limits.maxFiles + 1;
  }

  tooMany(): TypedError {
    return tooManyFiles(this.options.limits.maxFiles);
  }

  async take(part: FormPart): Promise<void> {
    const { fields, fileField } = this.options;
    if (fields.includes(part.name)) return this.#takeField(part);
    const isFile = fileField === undefined ? part.fileName !== undefined : part.name === fileField;
    if (isFile) return this.#takeFile(part);
    const name = JSON.stringify(part.name.slice(0, 100));
    const known = [...fields, fileField ?? 'files with their names'].join(', ');
    throw invalidRequest(`The form has a part ${name} that is not known. It may have: ${known}.`);
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
    if (index >= maxFiles) throw tooManyFiles(maxFiles);
    const name = cleanName(fileName);
    // The stream stays open when the loop ends early: the parser waits for the end of each part.
    const chunks = content.iterator({ destroyOnReturn: false });
    const limited = limitBytes(chunks, maxFileBytes, () => fileTooLarge(name, maxFileBytes));
    try {
      this.#files[index] = { name, ...(await this.options.store.put(limited)) };
    } catch (error) {
      if (this.options.tooLarge !== 'skip' || !isTooLarge(error)) throw error;
      this.#files[index] = { name, reason: refuseFileSize(maxFileBytes) };
      await finished(content.resume());
    }
  }

  async #takeField({ name, content }: FormPart): Promise<void> {
    if (this.#fields.has(name)) throw invalidRequest(`${name} must be sent once`);
    // Set before the content is read: a second field of the name may come meanwhile.
    this.#fields.set(name, '');
    const { maxFieldBytes } = this.options.limits;
    const chunks: Uint8Array[] = [];
    const refuse = () => fieldTooLarge(name, maxFieldBytes);
    for await (const chunk of limitBytes(content, maxFieldBytes, refuse)) chunks.push(chunk);
    this.#fields.set(name, Buffer.concat(chunks).toString('utf8'));
  }
}

function isTooLarge(error: unknown): boolean {
  return isTypedError(error, 'FILE_TOO_LARGE');
}

function tooManyFiles(maxFiles: number): TypedError {
  return invalidRequest(
    `A request takes ${maxFiles} files at most. Send fewer, and each field once.`,
  );
}

function boundaryOf(contentType: string): string {
  const how = 'Send it as "curl -F" does, and let the client set the header.';
  try {
    const type = new MIMEType(contentType);
    const boundary = type.params.get('boundary') ?? '';
    const isForm = type.essence === 'multipart/form-data' && boundary !== '';
    if (isForm && boundary.length <= LONGEST_BOUNDARY) return boundary;
  } catch {
    // A header that is no MIME type has no boundary.
  }
  throw invalidRequest(
    `Content-Type must be multipart/form-data with a boundary of at most ${LONGEST_BOUNDARY} characters. ${how}`,
  );
}
