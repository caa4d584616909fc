import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import Parser from 'stream-json/Parser.js';
import { JsonMeter } from '../../platform/text/json-text.js';
import { LoopShare } from '../../platform/async/batcher.js';
import { invalidJson } from '../../http/errors/body-errors.js';
import {
  type ReceiveOptions,
  type ReceiveLimits,
  documentTooDeep,
  tooManyValues,
  fileTooLarge,
  fieldTooLarge,
  limitBytes,
  decodeBase64,
} from '../receive-limits.js';
import { RequestBody } from '../../http/request-body.js';
import { invalidRequest } from '../../errors/typed-error.js';
import type { StoredBlob } from '../blob-store.js';

const PLAIN_BYTES = 1024 * 1024;

/** Bytes that are parsed in one turn of the event loop: their tokens take some milliseconds. */
const PIECE_BYTES = 16 * 1024;
/** Share of the event loop for all documents of the process together. */
const pieceShare = new LoopShare(1);

export interface DocumentOptions extends ReceiveOptions {
  /** Whether a text at this path is the base64 of a file. */
  isContent(path: JsonPath): boolean;
}

/**
 * Receives a JSON document with files. A file's text is decoded straight into the store and becomes a
 * `StoredContent`; a large document is never whole in memory.
 *
 * @throws TypedError 400 `INVALID_REQUEST`, 408 `REQUEST_TIMEOUT`, 413 `BODY_TOO_LARGE` or
 * `FILE_TOO_LARGE`; ClientGoneError.
 */
export async function receiveDocument(
  request: IncomingMessage,
  options: DocumentOptions,
): Promise<unknown> {
  const { limits, clock } = options;
  return new RequestBody(request, limits, clock).receive(async (body) => {
    const taker = new ContentTaker(options);
    const isSmall = (body.announcedBytes ?? Infinity) <= (limits.plainBytes ?? PLAIN_BYTES);
    if (isSmall) return storeContents(await parseWhole(body), taker);
    return parseStream(body, taker, limits.maxFieldBytes);
  });
}

async function parseWhole(body: RequestBody): Promise<unknown> {
  const meter = new JsonMeter({ levels: MOST_DEPTH, keys: MOST_VALUES, values: MOST_VALUES });
  const chunks: Buffer[] = [];
  for await (const chunk of body.read()) {
    const excess = meter.add(chunk);
    if (excess !== undefined) throw refusals[excess]();
    chunks.push(chunk);
  }
  try {
    // The decoder drops a byte order mark, which JSON.parse refuses and the streaming parser skips.
    return JSON.parse(new TextDecoder().decode(Buffer.concat(chunks)));
  } catch {
    throw invalidJson();
  }
}

interface FoundText {
  path: JsonPath;
  text: string;
  replace(value: unknown): void;
}

/** Stores the files of a parsed document, and puts a `StoredContent` in place of each. */
async function storeContents(document: unknown, taker: ContentTaker): Promise<unknown> {
  const root = { document };
  for (const { path, text, replace } of findTexts(root, taker)) {
    replace(await taker.take(path, [text]));
  }
  return root.document;
}

/** Finds all texts of files synchronously: an await at each of many small values would be slow. */
function findTexts(root: { document: unknown }, taker: ContentTaker): FoundText[] {
  const found: FoundText[] = [];
  const path: (string | number)[] = [];
  const visit = (value: unknown, replace: (value: unknown) => void): void => {
    if (typeof value === 'string' && taker.takes(path)) {
      found.push({ path: [...path], text: value, replace });
    }
    if (typeof value !== 'object' || value === null) return;
    if (path.length >= MOST_DEPTH) throw documentTooDeep();
    for (const [key, item] of Object.entries(value)) {
      path.push(Array.isArray(value) ? Number(key) : key);
      visit(item, (other) => Object.defineProperty(value, key, { value: other }));
      path.pop();
    }
  };
  visit(root.document, (value) => {
    root.document = value;
  });
  return found;
}

/**
 * Yields the bytes in small pieces, one a turn of the event loop: a chunk makes thousands of
 * tokens.
 */
async function* spread(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      await pieceShare.next();
      yield chunk.subarray(at, at + PIECE_BYTES);
    }
  }
}

const tooMany = () => tooManyValues(MOST_VALUES);
const refusals = { levels: documentTooDeep, keys: tooMany, values: tooMany };

async function parseStream(
  body: RequestBody,
  taker: ContentTaker,
  maxChars: number,
): Promise<unknown> {
  const rules: DocumentRules = {
    takeText: (path) => (taker.takes(path) ? (texts) => taker.take(path, texts) : undefined),
    maxChars,
  };
  const parser = new Parser({ packValues: false });
  // No effect when the body was refused before, and the parser ends with it.
  parser.on('error', () => body.refuse(invalidJson()));
  const [document] = await Promise.all([
    buildDocument(parser, rules).catch(body.refuse),
    pipeline(spread(body.read()), parser, { signal: body.signal }).catch(body.refuse),
  ]);
  body.signal.throwIfAborted();
  return document;
}

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
class ContentTaker {
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

/** A token of the JSON parser: a value starts, comes in chunks, ends. */
export interface JsonToken {
  name: string;
  value?: string | boolean | null;
}

/** The path of a value in its document: `['files', 0, 'content']`. */
export type JsonPath = readonly (string | number)[];

/** Depth of nested arrays and objects at most. */
const MOST_DEPTH = 64;

/** Values of all arrays and objects at most. */
const MOST_VALUES = 100_000;

export interface DocumentRules {
  /**
   * The consumer of a string that is streamed; undefined for a string that becomes part of the
   * document.
   */
  takeText(path: JsonPath): ((texts: AsyncIterable<string>) => Promise<unknown>) | undefined;
  /** Characters of the document, without streamed strings, at most. */
  maxChars: number;
}

/**
 * Builds a document from its tokens as they come; streamed strings take no memory.
 *
 * @throws TypedError 413 `BODY_TOO_LARGE`; 400 `INVALID_REQUEST` for one that is too deep, or of too many values.
 */
export async function buildDocument(
  tokens: AsyncIterable<JsonToken>,
  rules: DocumentRules,
): Promise<unknown> {
  const builder = new DocumentBuilder(tokens[Symbol.asyncIterator](), rules);
  const document = await builder.value(await builder.next(), []);
  // Only white space may follow: the parser throws for anything else.
  await builder.end();
  return document;
}

class DocumentBuilder {
  #chars = 0;
  #values = 0;

  constructor(
    private readonly tokens: AsyncIterator<JsonToken>,
    private readonly rules: DocumentRules,
  ) {}

  async next(): Promise<JsonToken> {
    const next = await this.tokens.next();
    return next.done === true ? { name: 'end' } : next.value;
  }

  async end(): Promise<void> {
    for (let token = await this.next(); token.name !== 'end';) token = await this.next();
  }

  async value(token: JsonToken, path: JsonPath): Promise<unknown> {
    this.#count(1);
    this.#values += 1;
    // The document itself is not counted.
    if (this.#values > MOST_VALUES + 1) throw tooManyValues(MOST_VALUES);
    switch (token.name) {
      case 'startObject':
        return this.#object(path);
      case 'startArray':
        return this.#array(path);
      case 'startString': {
        const take = this.rules.takeText(path);
        return take === undefined ? this.#text() : take(this.#texts());
      }
      case 'startNumber':
        return Number(await this.#text());
      default:
        return token.value;
    }
  }

  async #object(path: JsonPath): Promise<Record<string, unknown>> {
    this.#checkDepth(path);
    const entries: [string, unknown][] = [];
    for (let token = await this.next(); token.name === 'startKey'; token = await this.next()) {
      const key = await this.#text();
      entries.push([key, await this.value(await this.next(), [...path, key])]);
    }
    return Object.fromEntries(entries);
  }

  async #array(path: JsonPath): Promise<unknown[]> {
    this.#checkDepth(path);
    const items: unknown[] = [];
    for (let token = await this.next(); token.name !== 'endArray'; token = await this.next()) {
      items.push(await this.value(token, [...path, items.length]));
    }
    return items;
  }

  async #text(): Promise<string> {
    let text = '';
    for await (const more of this.#texts()) {
      this.#count(more.length);
      text += more;
    }
    return text;
  }

  /** The chunks of a string, a key or a number, up to its end. */
  async *#texts(): AsyncGenerator<string> {
    for (let token = await this.next(); token.value !== undefined; token = await this.next()) {
      yield String(token.value);
    }
  }

  #count(chars: number): void {
    this.#chars += chars;
    const { maxChars } = this.rules;
    if (this.#chars > maxChars) throw fieldTooLarge('The JSON body without its files', maxChars);
  }

  #checkDepth(path: JsonPath): void {
    if (path.length >= MOST_DEPTH) throw documentTooDeep();
  }
}
