import type { ServerResponse } from 'node:http';
import { errorEnvelope, type WireError } from './wire-error.js';

interface JsonReply {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

export function sendJson(response: ServerResponse, requestId: string, reply: JsonReply): void {
  response.writeHead(reply.status, {
    'content-type': 'application/json',
    'request-id': requestId,
    ...reply.headers,
  });
  response.end(JSON.stringify(reply.body));
}

/** Answers with an error in the API's envelope; ends the connection of a stream that has begun. */
export function sendError(response: ServerResponse, requestId: string, error: WireError): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  sendJson(response, requestId, {
    status: error.status,
    body: errorEnvelope(error, requestId),
    headers: error.facts.headers ?? {},
  });
}
