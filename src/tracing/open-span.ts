import {
  context,
  isSpanContextValid,
  SpanStatusCode,
  type Attributes,
  type Context,
  type Span,
} from '@opentelemetry/api';
import type { Redact } from '../platform/text/redact.js';
import type { StoredTrace } from '../storage/shapes/stored-turn.js';
import { cutText } from '../platform/text/cut-text.js';
import { printExact } from '../platform/exact-json.js';
import { attributes, toTrace } from './span-names.js';

/** A span that was started. Whoever started it ends it. */
export class OpenSpan {
  /** @param redact absent: the span is to have no content of conversations. */
  constructor(
    private readonly span: Span,
    private readonly below: Context,
    private readonly redact: Redact | undefined,
  ) {}

  /** Whether anybody gets the span: if not, no attributes need to be made. */
  get isRecording(): boolean {
    return this.span.isRecording();
  }

  /** Whether the span is to have content of the conversation. */
  get showsContent(): boolean {
    return this.redact !== undefined && this.isRecording;
  }

  /** Ids for spans of other processes; undefined where no trace is. A span that is not recorded has its parent's. */
  get trace(): StoredTrace | undefined {
    const ids = this.span.spanContext();
    return isSpanContextValid(ids) ? toTrace(ids) : undefined;
  }

  /** Runs work below the span. */
  run<T>(work: () => T): T {
    return context.with(this.below, work);
  }

  set(more: Attributes): void {
    this.span.setAttributes(more);
  }

  /** Sets content of the conversation. To be called where `showsContent`. */
  show(attribute: string, content: unknown): void {
    const { span, redact } = this;
    if (redact === undefined) return;
    const { json, isCut } = encodeContent(content, redact);
    span.setAttribute(attribute, json);
    if (isCut) span.setAttribute(attributes.contentCut, true);
  }

  /** @param type of the error, one of few: no message, which may quote people. */
  fail(type: string): void {
    this.span.setStatus({ code: SpanStatusCode.ERROR });
    this.span.setAttribute(attributes.errorType, type);
  }

  end(): void {
    this.span.end();
  }
}

/** Most bytes of an attribute with content. */
export const MOST_CONTENT_BYTES = 65_536;

/** Most characters of a text in it: a long file must not take the place of all else. */
const MOST_TEXT_CHARS = 8_192;

interface Encoded {
  json: string;
  /** Whether anything was cut or left out. */
  isCut: boolean;
}

/**
 * Encodes content of a conversation as JSON of a limited size. Long texts are cut; of a list, the last items
 * that have room are kept, and of an item with `parts` its last parts. Secrets of the process are removed. Pure.
 */
export function encodeContent(content: unknown, redact: Redact): Encoded {
  let isCut = false;
  const shorten = (_key: string, value: unknown): unknown => {
    if (typeof value !== 'string') return value;
    isCut ||= value.length > MOST_TEXT_CHARS;
    // Before the text is cut: half of a secret is not recognised.
    return cutText(redact(value), MOST_TEXT_CHARS);
  };
  const encode = (value: unknown): string => printExact(JSON.stringify(value, shorten) ?? 'null');
  if (!Array.isArray(content)) {
    const json = encode(content);
    return Buffer.byteLength(json) <= MOST_CONTENT_BYTES
      ? { json, isCut }
      : { json: '{}', isCut: true };
  }
  const { kept, isWhole } = keepLast(content, encode, MOST_CONTENT_BYTES);
  return { json: `[${kept.join()}]`, isCut: isCut || !isWhole };
}

/** The last items that have room, encoded. */
function keepLast(
  items: readonly unknown[],
  encode: (value: unknown) => string,
  mostBytes: number,
): { kept: string[]; isWhole: boolean } {
  const kept: string[] = [];
  let leftBytes = mostBytes - 2;
  for (const item of items.toReversed()) {
    const json = encode(item);
    const bytes = Buffer.byteLength(json) + 1;
    if (bytes > leftBytes) {
      if (kept.length === 0) kept.push(...lastParts(item, encode, leftBytes));
      return { kept, isWhole: false };
    }
    leftBytes -= bytes;
    kept.unshift(json);
  }
  return { kept, isWhole: true };
}

/** An item with as many of its last parts as have room; none where it has no parts. */
function lastParts(item: unknown, encode: (value: unknown) => string, mostBytes: number): string[] {
  if (typeof item !== 'object' || item === null || !('parts' in item)) return [];
  const { parts, ...rest } = item;
  if (!Array.isArray(parts)) return [];
  const head = encode(rest).slice(0, -1);
  const { kept } = keepLast(parts, encode, mostBytes - Buffer.byteLength(head) - 12);
  return [`${head},"parts":[${kept.join()}]}`];
}
