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
} from '@opentelemetry/api';
import { CONFIG, type Config } from '../config/config.js';
import { packageVersion } from '../platform/process/package-root.js';
import { REDACT, type Redact } from '../platform/text/redact.js';
import type { StoredTrace } from '../storage/shapes/stored-turn.js';
import { OpenSpan } from './open-span.js';
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
export function detached<T>(work: () => T): T {
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
