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
import { encodeContent } from './encode-content.js';
import { attributes } from './span-names.js';
import { toTrace } from './trace-context.js';

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
