import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node';

/** Attributes that a printed span shows, under shorter names. */
const shown: Record<string, string> = {
  'turnpike.outcome': 'outcome',
  'turnpike.reason': 'reason',
  'gen_ai.response.finish_reasons': 'finish',
  'error.type': 'error',
};

/**
 * Traces as a text: in the order of their starts, those that ran side by side by name, a span under the one above it, with what it is linked to.
 * A span whose parent was not recorded is the first of its trace.
 */
export function printTraces(spans: readonly ReadableSpan[]): string {
  const ids = new Set(spans.map(idOf));
  const roots = spans.filter(({ parentSpanContext }) => !ids.has(parentSpanContext?.spanId ?? ''));
  const print = (span: ReadableSpan, depth: number): string[] => [
    '  '.repeat(depth) + describe(span, spans),
    ...spans
      .filter(({ parentSpanContext }) => parentSpanContext?.spanId === idOf(span))
      .toSorted(inOrder)
      .flatMap((child) => print(child, depth + 1)),
  ];
  return roots
    .toSorted(inOrder)
    .map((root) => print(root, 0).join('\n'))
    .join('\n\n');
}

function describe(span: ReadableSpan, all: readonly ReadableSpan[]): string {
  const facts = Object.entries(shown).flatMap(([name, short]) => {
    const value = span.attributes[name];
    return value === undefined ? [] : [`${short}=${String(value)}`];
  });
  const links = span.links.map(({ context }) => {
    const linked = all.find((one) => idOf(one) === context.spanId);
    return linked === undefined ? 'another process' : nameOf(linked);
  });
  return [
    nameOf(span),
    ...(span.kind === SpanKind.INTERNAL ? [] : [`(${SpanKind[span.kind].toLowerCase()})`]),
    ...facts,
    ...(span.status.code === SpanStatusCode.ERROR ? ['FAILED'] : []),
    ...(links.length === 0 ? [] : [`<- ${links.join(', ')}`]),
  ].join(' ');
}

function nameOf({ name, attributes }: ReadableSpan): string {
  const attempt = attributes['turnpike.attempt'];
  return attempt === undefined ? name : `${name} #${String(attempt)}`;
}

function idOf(span: ReadableSpan): string {
  return span.spanContext().spanId;
}

function inOrder(a: ReadableSpan, b: ReadableSpan): number {
  const isSideBySide = ms(a.startTime) < ms(b.endTime) && ms(b.startTime) < ms(a.endTime);
  return isSideBySide && a.name !== b.name
    ? a.name.localeCompare(b.name)
    : ms(a.startTime) - ms(b.startTime);
}

function ms([seconds, nanos]: ReadableSpan['startTime']): number {
  return seconds * 1e3 + nanos / 1e6;
}
