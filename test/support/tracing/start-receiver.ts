import { type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { serveHttp } from '../serve-http.js';

export interface ReceivedSpan {
  service: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: Record<string, unknown>;
}

/** The part of an OTLP request that tests look at. */
interface Export {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: (Omit<ReceivedSpan, 'attributes'> & { attributes: Attribute[] })[] }[];
  }[];
}

interface Attribute {
  key: string;
  value: Record<string, unknown>;
}

/** A receiver of traces over OTLP, as a collector is one. */
export async function startReceiver(): Promise<{
  url: string;
  spans: ReceivedSpan[];
  close(): Promise<void>;
}> {
  const spans: ReceivedSpan[] = [];
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    spans.push(...spansOf((await json(request)) as Export));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  };
  const { url, close } = await serveHttp(receive);
  return { url, spans, close };
}

function spansOf({ resourceSpans }: Export): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name']);
    const spans = scopeSpans.flatMap((scope) => scope.spans);
    return spans.map((span) => ({ ...span, service, attributes: valuesOf(span.attributes) }));
  });
}

function valuesOf(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
