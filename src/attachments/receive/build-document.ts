import { documentTooDeep, fieldTooLarge, tooManyValues } from './receive-errors.js';

/** A token of the JSON parser: a value starts, comes in chunks, ends. */
export interface JsonToken {
  name: string;
  value?: string | boolean | null;
}

/** The path of a value in its document: `['files', 0, 'content']`. */
export type JsonPath = readonly (string | number)[];

/** Depth of nested arrays and objects at most. */
export const MOST_DEPTH = 64;

/** Values of all arrays and objects at most. */
export const MOST_VALUES = 100_000;

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
