import { invalidRequest } from '../../errors/typed-error.js';
import type { StoredBlob } from '../blobs/measure-content.js';
import { decodeBase64 } from './decode-base64.js';
import { limitBytes } from './limit-bytes.js';
import type { JsonPath } from './build-document.js';
import { fileTooLarge } from './receive-errors.js';
import type { ReceiveLimits, ReceiveOptions } from '../receive-options.js';

interface TakerOptions extends Pick<ReceiveOptions, 'store'> {
  limits: Pick<ReceiveLimits, 'maxFiles' | 'maxFileBytes'>;
  /** Whether a text at this path is the base64 of a file. */
  isContent(path: JsonPath): boolean;
}

/**
 * A stored file in the place of its base64 text in a document. A class: no document can bring an
 * instance of its own and name a content it never sent.
 */
export class StoredContent {
  constructor(readonly blob: StoredBlob) {}
}

/** Decodes the files of one document, which are base64 texts, into the store. */
export class ContentTaker {
  #count = 0;

  constructor(private readonly options: TakerOptions) {}

  takes(path: JsonPath): boolean {
    return this.options.isContent(path);
  }

  /**
   * @throws TypedError 400 when the text is no base64 or the files are too many, 413 when it is too
   * large.
   */
  async take(
    path: JsonPath,
    texts: AsyncIterable<string> | Iterable<string>,
  ): Promise<StoredContent> {
    const { maxFiles, maxFileBytes } = this.options.limits;
    this.#count += 1;
    if (this.#count > maxFiles) throw invalidRequest(`A request takes ${maxFiles} files at most`);
    const name = writePath(path);
    const bytes = decodeBase64(texts, () => notBase64(name));
    const limited = limitBytes(bytes, maxFileBytes, () => fileTooLarge(name, maxFileBytes));
    return new StoredContent(await this.options.store.put(limited));
  }
}

/** A path as text: `files[0].content`. */
function writePath(path: JsonPath): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}

function notBase64(field: string): Error {
  const message = `${field} must be base64: the standard alphabet with its padding, no white space and no data: prefix`;
  return invalidRequest(message, { field });
}
