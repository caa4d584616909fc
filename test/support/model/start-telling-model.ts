import { type IncomingMessage, type ServerResponse } from 'node:http';
import { serveHttp } from '../serve-http.js';

/** The failure of the next call. */
export type Telling = 'status' | 'event' | 'page' | 'redirect' | 'hang-up';

export interface TellingModel {
  url: string;
  /** May change between calls. */
  how: Telling;
  /** Keys that it received. */
  keys: Set<string>;
  /** Text of its answers beside the key. */
  alsoSays: string;
  close(): Promise<void>;
}

/** A model's endpoint that fails, and repeats the received key in every answer. */
export async function startTellingModel(): Promise<TellingModel> {
  const keys = new Set<string>();
  const { url, close } = await serveHttp((request, response) => {
    const key = keyOf(request);
    keys.add(key);
    request.resume().once('end', () => fail(model.how, key + model.alsoSays, response));
  });
  const model: TellingModel = { url, how: 'status', keys, alsoSays: '', close };
  return model;
}

function keyOf({ headers }: IncomingMessage): string {
  const given = headers['x-api-key'] ?? headers.authorization ?? '';
  return String(given).replace(/^Bearer /, '');
}

function fail(how: Telling, key: string, response: ServerResponse): void {
  const error = {
    type: `bad_${key}`,
    message: `The key ${key} (${encodeURIComponent(key)}, ${key}${key}) is not taken`,
  };
  const body = JSON.stringify({ type: 'error', error, request_id: key });
  switch (how) {
    case 'status':
      response.writeHead(401, { 'content-type': 'application/json', 'request-id': key }).end(body);
      return;
    case 'event':
      response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': key });
      response.end(`event: error\ndata: ${body}\n\n`);
      return;
    case 'page':
      response.writeHead(403, { 'content-type': 'text/html' }).end(`<p>${key}</p>`.repeat(2_000));
      return;
    case 'redirect':
      response.writeHead(302, { location: `https://elsewhere.example/?key=${key}` }).end();
      return;
    case 'hang-up':
      response.destroy();
  }
}
