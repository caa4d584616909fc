import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import Parser from 'stream-json/Parser.js';
import { isPlainObject } from '../../platform/json.js';
import { JsonMeter } from '../../platform/text/json-text.js';
import { LoopShare } from '../../platform/async/batcher.js';
import { invalidJson } from '../../http/body-errors.js';
import { RequestBody } from '../../http/request-body.js';
import {
  type ReceiveOptions,
  documentTooDeep,
  tooManyValues,
  fileTooLarge,
  fieldTooLarge,
  limitBytes,
  decodeBase64,
} from '../receive-limits.js';
import { invalidRequest } from '../../errors/typed-error.js';
import type { ReceivedFile, StoredBlob } from '../blob-store.js';
import { cleanName } from '../file-limits.js';

const PLAIN_BYTES = 1024 * 1024;

/** Bytes that are parsed in one turn of the event loop: their tokens take some milliseconds. */
const PIECE_BYTES = 16 * 1024;
/** Share of the event loop for all documents of the process together. */
const pieceShare = new LoopShare(1);

/** Depth of nested arrays and objects at most. */
const MAX_DEPTH = 64;

/** Values of all arrays and objects at most. */
const MAX_VALUES = 100_000;

export interface ReceivedJson {
  /** All fields but `files`, not validated. */
  fields: Record<string, unknown>;
  files: ReceivedFile[];
}

/**
 * Receives `{…, files?: [{content, mime_type, filename?}]}`, where a content is base64, which is decoded straight into
 * the store: a large document is never whole in memory.
 *
 * @throws TypedError 400 `INVALID_REQUEST`, 408 `REQUEST_TIMEOUT`, 413 `BODY_TOO_LARGE` or
 * `FILE_TOO_LARGE`; ClientGoneError.
 */
export async function receiveJson(
  request: IncomingMessage,
  options: ReceiveOptions,
): Promise<ReceivedJson> {
  const { limits, clock } = options;
  const { plainBytes = PLAIN_BYTES, maxFieldBytes: maxChars } = limits;
  const document = await new RequestBody(request, limits, clock).receive(async (body) => {
    const onFileText = storeContents(options);
    const isSmall = (body.announcedBytes ?? Infinity) <= plainBytes;
    if (isSmall) return takeAll(await parseWhole(body), onFileText);
    return parseStream(body, { takeText: onFileText, maxChars });
  });
  if (!isPlainObject(document)) throw invalidRequest('Request body must be a JSON object');
  const { files, ...fields } = document;
  // A client without files may send null.
  const sent: unknown = files ?? [];
  if (!Array.isArray(sent)) throw invalidRequest('files must be an array');
  return { fields, files: sent.map(toFile) };
}

function toFile(file: unknown, index: number): ReceivedJson['files'][number] {
  const field = `files[${index}]`;
  if (!isPlainObject(file)) throw invalidRequest(`${field} must be an object`, { field });
  const { content, mime_type: mimeType, filename } = file;
  if (!(content instanceof StoredContent)) throw mustBeText(`${field}.content`);
  if (typeof mimeType !== 'string') throw mustBeText(`${field}.mime_type`);
  if (filename !== undefined && filename !== null && typeof filename !== 'string') {
    throw mustBeText(`${field}.filename`);
  }
  return { name: cleanName(filename ?? ''), ...content.blob };
}

function mustBeText(field: string): Error {
  return invalidRequest(`${field} must be a string`, { field });
}

/** The path of a value in its document: `['files', 0, 'content']`. */
type JsonPath = readonly (string | number)[];

/** The consumer of the string at a path; undefined for a string that becomes part of the document. */
type OnText = (
  path: JsonPath,
) => ((texts: AsyncIterable<string> | Iterable<string>) => Promise<unknown>) | undefined;

/**
 * A stored file in the place of its base64 text in a document. A class: no document can bring an
 * instance of its own and name a content it never sent.
 */
class StoredContent {
  constructor(readonly blob: StoredBlob) {}
}

/**
 * Decodes the files of one document into the store. They are refused with 400 where a text is no base64 or there are too
 * many, with 413 where one is too large.
 */
function storeContents({ store, limits: { maxFiles, maxFileBytes } }: ReceiveOptions): OnText {
  let count = 0;
  return (path) => {
    if (!isContent(path)) return undefined;
    const [top, index, field] = path;
    const name = `${top}[${index}].${field}`;
    return async (texts) => {
      count += 1;
      if (count > maxFiles) throw invalidRequest(`A request takes ${maxFiles} files at most`);
      const bytes = decodeBase64(texts, () => notBase64(name));
      const limited = limitBytes(bytes, maxFileBytes, () => fileTooLarge(name, maxFileBytes));
      return new StoredContent(await store.put(limited));
    };
  };
}

const isContent = ([top, index, field, ...more]: JsonPath): boolean =>
  top === 'files' && typeof index === 'number' && field === 'content' && more.length === 0;

function notBase64(field: string): Error {
  const message = `${field} must be base64: the standard alphabet with its padding, no white space and no data: prefix`;
  return invalidRequest(message, { field });
}

async function parseWhole(body: RequestBody): Promise<unknown> {
  const meter = new JsonMeter({ levels: MAX_DEPTH, keys: MAX_VALUES, values: MAX_VALUES });
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
  text: string;
  onTexts(texts: Iterable<string>): Promise<unknown>;
  replace(value: unknown): void;
}

/** Gives each text of a file to its handler, and puts the result in the place of the text. */
async function takeAll(document: unknown, takeText: OnText): Promise<unknown> {
  const root = { document };
  for (const { text, onTexts, replace } of findTexts(root, takeText))
    replace(await onTexts([text]));
  return root.document;
}

/** Finds all texts of files synchronously: an await at each of many small values would be slow. */
function findTexts(root: { document: unknown }, takeText: OnText): FoundText[] {
  const found: FoundText[] = [];
  const path: (string | number)[] = [];
  const visit = (value: unknown, replace: (value: unknown) => void): void => {
    if (typeof value === 'string') {
      const onTexts = takeText(path);
      if (onTexts !== undefined) found.push({ text: value, onTexts, replace });
    }
    if (typeof value !== 'object' || value === null) return;
    if (path.length >= MAX_DEPTH) throw documentTooDeep();
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

const tooMany = () => tooManyValues(MAX_VALUES);
const refusals = { levels: documentTooDeep, keys: tooMany, values: tooMany };

async function parseStream(body: RequestBody, rules: DocumentRules): Promise<unknown> {
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

/** A token of the JSON parser: a value starts, comes in chunks, ends. */
interface JsonToken {
  name: string;
  value?: string | boolean | null;
}

export interface DocumentRules {
  /** Finds the strings that are streamed, which take no memory. */
  takeText: OnText;
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
    if (this.#values > MAX_VALUES + 1) throw tooManyValues(MAX_VALUES);
    switch (token.name) {
      case 'startObject':
        return this.#object(path);
      case 'startArray':
        return this.#array(path);
      case 'startString': {
        const onTexts = this.rules.takeText(path);
        return onTexts === undefined ? this.#text() : onTexts(this.#texts());
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
    if (path.length >= MAX_DEPTH) throw documentTooDeep();
  }
}
