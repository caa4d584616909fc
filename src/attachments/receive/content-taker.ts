import { invalidRequest } from '../../platform/typed-error.js';
import { decodeBase64 } from './decode-base64.js';
import { limitBytes } from './limit-bytes.js';
import type { JsonPath } from './build-document.js';
import { fileTooLarge } from './receive-errors.js';
import type { ReceiveDeps } from './receive-deps.js';
import type { ReceiveLimits } from './receive-limits.js';
import { StoredContent } from './stored-content.js';

interface TakerOptions extends Pick<ReceiveDeps, 'store'> {
  limits: Pick<ReceiveLimits, 'maxFiles' | 'maxFileBytes'>;
  isContent(path: JsonPath): boolean;
}

/** Takes the files of one document: base64 texts that go to the store. */
export class ContentTaker {
  #count = 0;

  constructor(private readonly options: TakerOptions) {}

  takes(path: JsonPath): boolean {
    return this.options.isContent(path);
  }

  /** @throws TypedError 400 for what is no base64 or one file too many, 413 for one too large. */
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

/** `files[0].content` */
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
