export interface JsonLimits {
  /** Depth of lists and objects inside of each other. */
  levels: number;
  /** Keys of one object. */
  keys: number;
  /** Items of all lists and values of all objects. */
  values: number;
}

export type JsonExcess = keyof JsonLimits;

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;

/**
 * Measures a JSON text by its UTF-8 bytes as they arrive, so that a text which would take long to
 * parse or to walk is refused unparsed. Time is linear, memory does not grow with the text. Malformed
 * text is counted as far as it looks like JSON; the parser refuses it afterwards.
 */
export class JsonMeter {
  readonly #limits: JsonLimits;
  /** Entries so far in each open list or object, the outermost first. */
  readonly #entries: Int32Array;
  /** Whether each of these is an object: a list has no limit but that of all values. */
  readonly #isObject: Uint8Array;
  #level = 0;
  #values = 0;
  #isInString = false;
  #isEscaped = false;
  /** Whether the last token opened a list or object. */
  #isOpened = false;

  constructor(limits: JsonLimits) {
    this.#limits = limits;
    this.#entries = new Int32Array(limits.levels + 1);
    this.#isObject = new Uint8Array(limits.levels + 1);
  }

  /** Counts the next bytes. @returns the limit that is exceeded; undefined: none. */
  add(bytes: Uint8Array): JsonExcess | undefined {
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#isInString = false;
        continue;
      }
      if (byte <= SPACE) continue;
      const excess = this.#token(byte);
      if (excess !== undefined) return excess;
    }
    return undefined;
  }

  #token(byte: number): JsonExcess | undefined {
    const isClosing = byte === CLOSE_LIST || byte === CLOSE_OBJECT;
    // The first entry has no comma before it.
    const isFirst = this.#isOpened && !isClosing;
    this.#isOpened = false;
    const excess = isFirst || byte === COMMA ? this.#countEntry() : undefined;
    if (excess !== undefined) return excess;
    if (isClosing) this.#level = Math.max(0, this.#level - 1);
    else if (byte === QUOTE) this.#isInString = true;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) return this.#open(byte === OPEN_OBJECT);
    return undefined;
  }

  #open(isObject: boolean): JsonExcess | undefined {
    if (this.#level >= this.#limits.levels) return 'levels';
    this.#level += 1;
    this.#entries[this.#level] = 0;
    this.#isObject[this.#level] = Number(isObject);
    this.#isOpened = true;
    return undefined;
  }

  #countEntry(): JsonExcess | undefined {
    this.#values += 1;
    if (this.#values > this.#limits.values) return 'values';
    const entries = (this.#entries[this.#level] ?? 0) + 1;
    this.#entries[this.#level] = entries;
    return this.#isObject[this.#level] === 1 && entries > this.#limits.keys ? 'keys' : undefined;
  }
}

const fence = /^```(?:json)?[^\S\n]*\n/;

/**
 * The JSON of a reply: the text without blanks around it and without a fence of Markdown, which models
 * put around JSON. A fence that is still open is taken off too. Pure.
 */
export function jsonBody(text: string): string {
  const whole = text.trim();
  const open = fence.exec(whole);
  if (open === null) return whole;
  return whole
    .slice(open[0].length)
    .replace(/\n?`{1,3}$/, '')
    .trim();
}
