import { Inject, Injectable, Global, Module } from '@nestjs/common';
import {
  context,
  createContextKey,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  trace,
  type Attributes,
  type Context,
  type Link,
  SpanStatusCode,
  type Span,
} from '@opentelemetry/api';
import { CONFIG, type Config } from '../config/config.js';
import { packageVersion } from '../platform/process/package-root.js';
import { REDACT, type Redact } from '../platform/text/redact.js';
import type { StoredTrace } from '../storage/shapes/stored-turn.js';
import { cutText } from '../platform/text/cut-text.js';
import { printExact } from '../platform/exact-json.js';
import { attributes, toSpanContext, toTrace } from './span-names.js';

/** The conversation that spans are about, in their context. */
const CONVERSATION = createContextKey('turnpike.conversation');

/** The key under which OpenTelemetry's SDK finds that nothing is to be traced. */
const SUPPRESSED = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');

const kinds = {
  internal: SpanKind.INTERNAL,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

export interface SpanStart {
  kind: keyof typeof kinds;
  /** Attributes that samplers decide by: few and short. All others are set on a span that records. */
  attributes: Attributes;
  /** The span above it: `none` begins a trace. Absent: the span that the code runs in. */
  parent?: StoredTrace | 'none';
  /** Spans that caused it. */
  links?: readonly StoredTrace[];
  /** The session, of this span and those below it. Absent: that of the span that the code runs in. */
  conversation?: string;
}

/**
 * Starts spans, through OpenTelemetry's API alone: a process without its SDK records nothing, and each call
 * returns at once.
 */
@Injectable()
export class Tracing {
  readonly #tracer = trace.getTracer('turnpike', packageVersion);
  readonly #redact: Redact | undefined;

  constructor(
    @Inject(CONFIG) { traceContent }: Pick<Config, 'traceContent'>,
    @Inject(REDACT) redact: Redact,
  ) {
    this.#redact = traceContent ? redact : undefined;
  }

  start(
    name: string,
    { kind, attributes: given, parent, links, conversation }: SpanStart,
  ): OpenSpan {
    const above = contextOf(parent);
    const about = conversation ?? above.getValue(CONVERSATION);
    const options = {
      kind: kinds[kind],
      attributes:
        typeof about === 'string' ? { ...given, [attributes.conversation]: about } : given,
      links: (links ?? []).map((link): Link => ({ context: toSpanContext(link) })),
    };
    const span = this.#tracer.startSpan(name, options, above);
    // Without the SDK each context would be a copy that nobody reads.
    const below = isSpanContextValid(span.spanContext())
      ? trace.setSpan(above, span).setValue(CONVERSATION, about)
      : above;
    return new OpenSpan(span, below, this.#redact);
  }
}

function contextOf(parent: SpanStart['parent']): Context {
  if (parent === undefined) return context.active();
  return parent === 'none'
    ? ROOT_CONTEXT
    : trace.setSpanContext(ROOT_CONTEXT, toSpanContext(parent));
}

/** The span that the code runs in; undefined: none. */
export function activeTrace(): StoredTrace | undefined {
  const found = trace.getSpanContext(context.active());
  return found && toTrace(found);
}

/** Names the span of a request by its route, where a library traces requests: it knows the method alone. */
export function nameRequest(method: string, route: string | undefined): void {
  const span = trace.getActiveSpan();
  if (route === undefined || span?.isRecording() !== true) return;
  span.updateName(`${method} ${route}`);
  span.setAttribute(attributes.httpRoute, route);
}

/** Runs work that belongs to no request, whichever request it was begun in. */
export function withoutTraceContext<T>(work: () => T): T {
  return context.with(ROOT_CONTEXT, work);
}

/** Runs work that no library traces, so that no id of a trace goes out with its requests. */
export function untraced<T>(work: () => T): T {
  return context.with(context.active().setValue(SUPPRESSED, true), work);
}

/** Runs work about a session, whose spans have its id. */
export function inConversation<T>(sessionId: string, work: () => T): T {
  return context.with(context.active().setValue(CONVERSATION, sessionId), work);
}

/** Provides tracing to every module. */
@Global()
@Module({ providers: [Tracing], exports: [Tracing] })
export class TracingModule {}

/** A span that was started. The code that started it ends it. */
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
export const MAX_CONTENT_BYTES = 65_536;

/** Most characters of a text in it: a long file must not take the place of all else. */
const MAX_TEXT_CHARS = 8_192;

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
    isCut ||= value.length > MAX_TEXT_CHARS;
    // Before the text is cut: half of a secret is not recognised.
    return cutText(redact(value), MAX_TEXT_CHARS);
  };
  const encode = (value: unknown): string => printExact(JSON.stringify(value, shorten) ?? 'null');
  if (!Array.isArray(content)) {
    const json = encode(content);
    return Buffer.byteLength(json) <= MAX_CONTENT_BYTES
      ? { json, isCut }
      : { json: '{}', isCut: true };
  }
  const { kept, isWhole } = keepLast(content, encode, MAX_CONTENT_BYTES);
  return { json: `[${kept.join()}]`, isCut: isCut || !isWhole };
}

/** The last items that have room, encoded. */
function keepLast(
  items: readonly unknown[],
  encode: (value: unknown) => string,
  maxBytes: number,
): { kept: string[]; isWhole: boolean } {
  const kept: string[] = [];
  let leftBytes = maxBytes - 2;
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
function lastParts(item: unknown, encode: (value: unknown) => string, maxBytes: number): string[] {
  if (typeof item !== 'object' || item === null || !('parts' in item)) return [];
  const { parts, ...rest } = item;
  if (!Array.isArray(parts)) return [];
  const head = encode(rest).slice(0, -1);
  const { kept } = keepLast(parts, encode, maxBytes - Buffer.byteLength(head) - 12);
  return [`${head},"parts":[${kept.join()}]}`];
}
