import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock, type Clock } from '../platform/clock.js';
import { newId as randomId } from '../platform/ids.js';
import { TypedError } from '../platform/typed-error.js';
import { describeModel } from './describe-model.js';
import { encodeMessage, encodeReply } from './encode-reply.js';
import { estimateInputTokens } from './estimate-usage.js';
import { openMessageStage, openStream } from './open-stage.js';
import { planReply } from './plan-reply.js';
import { playReply } from './play-reply.js';
import { readJsonBody } from './read-body.js';
import type { RehearsalRequest } from './request-types.js';
import { sendError, sendJson } from './send-json.js';
import { shareTimer } from './share-timer.js';
import { validateRequest } from './validate-request.js';
import { rehearsedFailure, wireError } from './wire-error.js';

export interface RehearsalOptions {
  /** Default 127.0.0.1. */
  host?: string;
  /** Default 0: any free port. */
  port?: number;
  /** Sees each valid request for a reply, retries included, before it is answered. */
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

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
}

type Settings = Required<Pick<RehearsalOptions, 'clock' | 'newId' | 'onRequest'>>;

/** Longer than a client keeps an idle connection, so that none is closed while it is picked up. */
const keepAliveMs = 65_000;

/**
 * Starts the rehearsal model: the Anthropic Messages API on loopback, answered from directives in
 * the message, without a model, a key or a network.
 *
 * @throws the error of `listen` when the port cannot be had
 */
export async function startRehearsal(options: RehearsalOptions = {}): Promise<Rehearsal> {
  const { host = '127.0.0.1', port = 0 } = options;
  const { newId = randomId, onRequest = () => undefined } = options;
  const clock = shareTimer(options.clock ?? systemClock);
  const server = createServer((request, response) => {
    const exchange = { request, response, requestId: newId('req') };
    answer(exchange, { clock, newId, onRequest }).catch((error: unknown) => {
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

async function answer(exchange: Exchange, settings: Settings): Promise<void> {
  const { request, response, requestId } = exchange;
  const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
  const route = `${request.method ?? ''} ${path}`;
  const model = /^GET \/v1\/models\/([^/]+)$/.exec(route)?.[1];
  if (route === 'POST /v1/messages') {
    await answerMessages(exchange, settings);
  } else if (route === 'GET /health') {
    sendJson(response, requestId, { status: 200, body: { status: 'ok' } });
  } else if (model !== undefined) {
    sendJson(response, requestId, { status: 200, body: describeModel(model) });
  } else {
    throw wireError(404, `There is no ${route}. The rehearsal has POST /v1/messages.`);
  }
}

async function answerMessages(exchange: Exchange, settings: Settings): Promise<void> {
  const { request, response, requestId } = exchange;
  const body = await readJsonBody(request);
  validateRequest(body);
  settings.onRequest({ body, headers: request.headers });
  describeModel(body.model);
  const retryCount = Number(request.headers['x-stainless-retry-count'] ?? 0);
  const plan = planReply(body, { retryCount, newId: settings.newId });
  if (plan.kind === 'failure') throw rehearsedFailure(plan.status);

  const frame = { messageId: settings.newId('msg'), inputTokens: estimateInputTokens(body) };
  const stage =
    body.stream === true
      ? openStream(response, requestId)
      : openMessageStage(response, requestId, encodeMessage(plan.reply, frame));
  const stop = playReply(encodeReply(plan.reply, frame), stage, settings.clock);
  response.once('close', stop);
}

function toWireError(error: unknown): TypedError {
  if (error instanceof TypedError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return wireError(500, `The rehearsal failed: ${reason}`);
}
