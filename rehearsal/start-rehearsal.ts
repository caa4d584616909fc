import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseHeaders, parseJsonBody } from './http/read-request.js';
import {
  sendError,
  sendJson,
  WireError,
  errorEnvelope,
  rehearsedFailure,
  refuse,
} from './http/wire-error.js';
import { isPlainObject } from './json.js';
import { toModelInfo, findProfile, listModels, maxOutputOf } from './models/models.js';
import { playReply, type Clock, type Stage } from './reply/play-reply.js';
import type { RehearsalRequest } from './request-types.js';
import { PromptCache, totalOf } from './usage/prompt-cache.js';
import type { WireEvent, WireMessage } from './reply/reply-plan.js';
import { acceptRequest, type AcceptedRequest } from './accept-request.js';
import { encodeMessage, encodeReply } from './reply/encode-reply.js';
import { planReply } from './reply/plan-reply.js';
import { makerWireAt, planMakerReply } from './makers/answer-maker.js';
import type { MakerWire } from './makers/maker-wire.js';
import { bindingBeta } from './rules/check-parameters.js';
import {
  loadTokenizer,
  type CountText,
  promptItems,
  type PromptItem,
} from './usage/prompt-items.js';

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

const systemClock: Clock = {
  now: () => Date.now(),
  after: (delayMs, callback) => {
    // A pause of a reply keeps no process alive that has nothing else to do.
    const timer = setTimeout(callback, delayMs).unref();
    return () => clearTimeout(timer);
  },
};

/**
 * Starts the rehearsal: the Anthropic Messages API on loopback, and the wires of other makers, which answer by the
 * directives of a message, without a model, a key or a network.
 *
 * @throws the error of `listen` when the port cannot be had
 */
export async function startRehearsal(options: RehearsalOptions = {}): Promise<Rehearsal> {
  const { host = '127.0.0.1', port = 0 } = options;
  const { clock = systemClock, onRequest = () => undefined } = options;
  const { newId = (prefix) => `${prefix}_${randomUUID()}` } = options;
  const parts: RehearsalParts = {
    clock,
    newId,
    onRequest,
    cache: new PromptCache(() => clock.now()),
    failed: new Map(),
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
    const wire = request.method === 'POST' ? makerWireAt(pathname) : undefined;
    if (wire !== undefined) return answerMaker(exchange, wire, pathname, parts);
    throw new WireError(404, `There is no ${route}. The rehearsal has POST /v1/messages.`);
  }
}

/** A request of another maker's wire. */
async function answerMaker(
  { request, response, requestId }: Exchange,
  wire: MakerWire,
  path: string,
  { clock, newId, failed }: RehearsalParts,
): Promise<void> {
  try {
    const parts = { newId, now: () => clock.now(), failed };
    const { moves, encode } = await planMakerReply(wire, request, path, parts);
    const { errorFrame } = wire;
    const stage = openStream(response, requestId, { frame: encode, errorFrame });
    response.once('close', playReply(moves, stage, clock));
  } catch (error) {
    const fault = toWireError(error);
    const { status, facts } = fault;
    sendJson(response, requestId, {
      status,
      body: wire.errorBody(fault),
      ...(facts.headers && { headers: facts.headers }),
    });
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

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
};

interface StreamFrames {
  frame: (event: WireEvent) => string;
  errorFrame: (error: WireError) => string;
}

/** A stage that streams server-sent events; each batch is one write. */
function openStream(
  response: ServerResponse,
  requestId: string,
  { frame, errorFrame }: StreamFrames,
): Stage {
  response.writeHead(200, { ...streamHeaders, 'request-id': requestId });
  return {
    send: (events) => response.write(events.map((event) => frame(event)).join('')),
    get isFull() {
      return response.writableNeedDrain;
    },
    whenDrained: (callback) => void response.once('drain', callback),
    end: (breakOff) => {
      const { socket } = response;
      if (!breakOff) {
        response.end();
      } else if (breakOff.how === 'error') {
        response.end(errorFrame(rehearsedFailure(breakOff.failure)), () => socket?.end());
      } else {
        // An empty write ends after all earlier ones: only then is the socket destroyed.
        socket?.write('', () => socket.destroy());
      }
    },
  };
}

/** A stage that answers with one JSON message, after all pauses of the reply. */
function openMessageStage(
  response: ServerResponse,
  requestId: string,
  message: WireMessage,
): Stage {
  return {
    send: () => true,
    isFull: false,
    whenDrained: (callback) => callback(),
    end: (breakOff) => {
      if (!breakOff) sendJson(response, requestId, { status: 200, body: message });
      else if (breakOff.how === 'error') {
        sendError(response, requestId, rehearsedFailure(breakOff.failure));
      } else response.destroy();
    },
  };
}

/** An event as the API writes it: name, JSON, empty line. */
export function frameEvent(event: WireEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
}

/** The parts that all answers of a rehearsal share. */
interface RehearsalParts {
  clock: Clock;
  newId: (prefix: string) => string;
  onRequest: (request: RehearsalRequest) => void;
  cache: PromptCache;
  /** Requests of other makers' wires that failed on purpose. */
  failed: Map<string, number>;
}

/** `POST /v1/messages`. */
async function answerMessages(exchange: Exchange, parts: RehearsalParts): Promise<void> {
  const { request, response, requestId } = exchange;
  const contract = parseHeaders(request.headers);
  const accepted = acceptRequest(await parseJsonBody(request), contract);
  const { items, total } = countPrompt(accepted, await loadTokenizer());
  const { body, sent, profile, dropped } = accepted;
  parts.onRequest({ body: sent, headers: request.headers });
  const plan = planReply(accepted, {
    retryCount: Number(request.headers['x-stainless-retry-count'] ?? 0),
    headroom: profile.window - total,
    newId: parts.newId,
  });
  if (plan.kind === 'failure') throw rehearsedFailure(plan.failure);

  const frame = {
    messageId: parts.newId('msg'),
    model: profile.id,
    prompt: parts.cache.use(items, profile),
    served: body,
    transformations: contract.betas.has(bindingBeta) ? dropped : undefined,
  };
  const stage =
    body.stream === true
      ? openStream(response, requestId, {
          frame: frameEvent,
          errorFrame: (error) => frameEvent(errorEnvelope(error, requestId)),
        })
      : openMessageStage(response, requestId, encodeMessage(plan.reply, frame));
  const stop = playReply(encodeReply(plan.reply, frame), stage, parts.clock);
  response.once('close', stop);
}

/** `POST /v1/messages/count_tokens`: refuses every request that `POST /v1/messages` refuses. */
async function answerCount({ request, response, requestId }: Exchange): Promise<void> {
  const contract = parseHeaders(request.headers);
  const body: unknown = await parseJsonBody(request);
  // A count has no `max_tokens`, but the rules of messages require it. The model's maximum is never refused.
  const counted = isPlainObject(body) ? { ...body, max_tokens: maxOutputOf(body['model']) } : body;
  const accepted = acceptRequest(counted, contract);
  const { total } = countPrompt(accepted, await loadTokenizer());
  sendJson(response, requestId, { status: 200, body: { input_tokens: total } });
}

/** @throws a 400 for a prompt over the model's window */
export function countPrompt(
  { body, profile }: AcceptedRequest,
  count: CountText,
): { items: PromptItem[]; total: number } {
  const items = promptItems(body, profile, count);
  const total = totalOf(items, profile);
  if (total <= profile.window) return { items, total };
  throw refuse(
    'prompt-too-long',
    `prompt is too long: ${total} tokens > ${profile.window} maximum`,
  );
}
