import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import Parser from 'stream-json/Parser.js';
import { JsonMeter } from '../../platform/text/json-meter.js';
import { LoopShare } from '../../platform/async/loop-share.js';
import { ContentTaker } from './content-taker.js';
import { invalidJson } from '../../http/errors/body-errors.js';
import { documentTooDeep, tooManyValues } from './receive-errors.js';
import {
  MOST_DEPTH,
  MOST_VALUES,
  buildDocument,
  type DocumentRules,
  type JsonPath,
} from './build-document.js';
import type { ReceiveOptions } from '../receive-options.js';
import { RequestBody } from '../../http/request-body.js';

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
