import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock, type Clock } from '../platform/clock.js';
import { newId as randomId } from '../platform/ids.js';
import {
  answerCount,
  answerMessages,
  type RehearsalParts,
  type Exchange,
} from './answer-messages.js';
import { parseHeaders } from './http/parse-headers.js';
import { sendError, sendJson } from './http/send-json.js';
import { WireError } from './http/wire-error.js';
import { toModelInfo } from './models/model-info.js';
import { findProfile } from './models/find-profile.js';
import { listModels } from './models/list-models.js';
import { shareTimer } from './reply/share-timer.js';
import type { RehearsalRequest } from './request-types.js';
import { PromptCache } from './usage/prompt-cache.js';

export interface RehearsalOptions {
  /** Default: 127.0.0.1. */
  host?: string;
  /** Default: 0, any free port. */
  port?: number;
  /** Called with each valid request of a message, retries included, before it is answered. */
  onRequest?: (request: RehearsalRequest) => void;
  clock?: Clock;
  /** Makes the ids of messages, tool calls and requests; random by default, as the API's are. */
  newId?: (prefix: string) => string;
}

export interface Rehearsal {
  /** The base URL for a client, without a slash at the end. */
  url: string;
  /** Ends open streams and frees the port. */
  close(): Promise<void>;
}

/** Longer than clients keep an idle connection, so that none is closed while it is reused. */
const keepAliveMs = 65_000;

/**
 * Starts the rehearsal: the Anthropic Messages API on loopback, which answers by the directives of a
 * message, without a model, a key or a network.
 *
 * @throws the error of `listen` when the port cannot be had
 */
export async function startRehearsal(options: RehearsalOptions = {}): Promise<Rehearsal> {
  const { host = '127.0.0.1', port = 0 } = options;
  const { newId = randomId, onRequest = () => undefined } = options;
  const clock = shareTimer(options.clock ?? systemClock);
  const parts: RehearsalParts = {
    clock,
    newId,
    onRequest,
    cache: new PromptCache(() => clock.now()),
  };
  const server = createServer((request, response) => {
    const exchange = { request, response, requestId: newId('req') };
    answer(exchange, parts).catch((error: unknown) => {
      sendError(response, exchange.requestId, toWireError(error));
    });
  });
  server.keepAliveTimeout = keepAliveMs;
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(exchange: Exchange, parts: RehearsalParts): Promise<void> {
  const { request, response, requestId } = exchange;
  const { pathname, searchParams } = new URL(`http://rehearsal${pathOf(request)}`);
  const route = `${request.method ?? ''} ${pathname}`;
  const model = /^GET \/v1\/models\/([^/]+)$/.exec(route)?.[1];
  if (route === 'POST /v1/messages') {
    await answerMessages(exchange, parts);
  } else if (route === 'POST /v1/messages/count_tokens') {
    await answerCount(exchange);
  } else if (route === 'GET /health') {
    sendJson(response, requestId, { status: 200, body: { status: 'ok' } });
  } else if (route === 'GET /v1/models') {
    parseHeaders(request.headers);
    sendJson(response, requestId, { status: 200, body: listModels(searchParams) });
  } else if (model !== undefined) {
    parseHeaders(request.headers);
    const body = toModelInfo(findProfile(decodeURIComponent(model)));
    sendJson(response, requestId, { status: 200, body });
  } else {
    throw new WireError(404, `There is no ${route}. The rehearsal has POST /v1/messages.`);
  }
}

/** The path and query. A URL that does not begin with a slash is taken for `/`. */
function pathOf({ url = '/' }: IncomingMessage): string {
  return url.startsWith('/') ? url : '/';
}

function toWireError(error: unknown): WireError {
  if (error instanceof WireError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new WireError(500, `The rehearsal failed: ${reason}`);
}
