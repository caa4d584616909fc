import type { IncomingMessage } from 'node:http';
import { MIMEType } from 'node:util';
import { invalidRequest } from '../../platform/typed-error.js';
import type { ReceivedFile } from '../received-file.js';
import { cleanName } from './clean-name.js';
import { limitBytes } from './limit-bytes.js';
import { readParts, type FormPart } from './read-parts.js';
import { fieldTooLarge, fileTooLarge } from './receive-errors.js';
import type { ReceiveDeps } from './receive-deps.js';
import type { ReceiveLimits } from './receive-limits.js';
import { RequestBody } from './request-body.js';

export interface MultipartOptions extends ReceiveDeps {
  limits: ReceiveLimits;
  /** Names of the text fields it may have, each once. */
  fields: readonly string[];
  /** The field of every file; absent: whatever has a file's name is one. */
  fileField?: string;
}

export interface ReceivedForm {
  fields: Record<string, string>;
  /** In the order they were sent. */
  files: ReceivedFile[];
}

/**
 * Receives a form. Files go to the store while they come; those of a request that is refused later
 * are used by nobody, and collected.
 *
 * @throws TypedError 400 `INVALID_REQUEST`, 408 `REQUEST_TIMEOUT`, 413 `BODY_TOO_LARGE` or
 * `FILE_TOO_LARGE`; ClientGoneError.
 */
export async function receiveMultipart(
  request: IncomingMessage,
  options: MultipartOptions,
): Promise<ReceivedForm> {
  const { limits, clock } = options;
  return new RequestBody(request, limits, clock).receive(async (body) => {
    const boundary = boundaryOf(request.headers['content-type'] ?? '');
    const form = new FormReader(options);
    await readParts(body, boundary, (part) => form.take(part));
    return form.received();
  });
}

class FormReader {
  readonly #fields = new Map<string, string>();
  readonly #files: ReceivedFile[] = [];
  #fileCount = 0;

  constructor(private readonly options: MultipartOptions) {}

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
    return { fields: Object.fromEntries(this.#fields), files: this.#files };
  }

  async #takeFile({ fileName, declaredType, content }: FormPart): Promise<void> {
    const { maxFiles, maxFileBytes } = this.options.limits;
    const index = this.#fileCount;
    this.#fileCount += 1;
    if (index >= maxFiles) throw invalidRequest(`A request takes ${maxFiles} files at most`);
    const name = cleanName(fileName, declaredType);
    const limited = limitBytes(content, maxFileBytes, () => fileTooLarge(name, maxFileBytes));
    this.#files[index] = { name, ...(await this.options.store.put(limited)) };
  }

  async #takeField({ name, content }: FormPart): Promise<void> {
    if (this.#fields.has(name)) throw invalidRequest(`${name} must be sent once`);
    // From now on it is taken: a second one may come before this one has ended.
    this.#fields.set(name, '');
    const { maxFieldBytes } = this.options.limits;
    const chunks: Uint8Array[] = [];
    const refuse = () => fieldTooLarge(name, maxFieldBytes);
    for await (const chunk of limitBytes(content, maxFieldBytes, refuse)) chunks.push(chunk);
    this.#fields.set(name, Buffer.concat(chunks).toString('utf8'));
  }
}

function boundaryOf(contentType: string): string {
  const how = 'Send it as "curl -F" does, and let the client set the header.';
  try {
    const type = new MIMEType(contentType);
    const boundary = type.params.get('boundary') ?? '';
    if (type.essence === 'multipart/form-data' && boundary !== '') return boundary;
  } catch {
    // What is no type has no boundary either.
  }
  throw invalidRequest(`Content-Type must be multipart/form-data with a boundary. ${how}`);
}
