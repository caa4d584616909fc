import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../platform/clock.js';
import { acceptRequest } from './accept-request.js';
import { openMessageStage, openStream } from './http/open-stage.js';
import { receiveJson } from './http/parse-body.js';
import { parseHeaders } from './http/parse-headers.js';
import { sendJson } from './http/send-json.js';
import { rehearsedFailure } from './http/wire-error.js';
import { encodeMessage, encodeReply } from './reply/encode-reply.js';
import { planReply } from './reply/plan-reply.js';
import { playReply } from './reply/play-reply.js';
import type { RehearsalRequest } from './request-types.js';
import { bindingBeta } from './rules/validate-thinking.js';
import { countPrompt } from './usage/count-prompt.js';
import { loadTokenizer } from './usage/load-tokenizer.js';
import type { PromptCache } from './usage/prompt-cache.js';

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
}

/** What the answers of one rehearsal share. */
export interface Answering {
  clock: Clock;
  newId: (prefix: string) => string;
  onRequest: (request: RehearsalRequest) => void;
  cache: PromptCache;
}

/** `POST /v1/messages`. */
export async function answerMessages(exchange: Exchange, answering: Answering): Promise<void> {
  const { request, response, requestId } = exchange;
  const contract = parseHeaders(request.headers);
  const accepted = acceptRequest(await receiveJson(request), contract);
  const { items, total } = countPrompt(accepted, await loadTokenizer());
  const { body, sent, profile, dropped } = accepted;
  answering.onRequest({ body: sent, headers: request.headers });
  const plan = planReply(accepted, {
    retryCount: Number(request.headers['x-stainless-retry-count'] ?? 0),
    room: profile.window - total,
    newId: answering.newId,
  });
  if (plan.kind === 'failure') throw rehearsedFailure(plan.failure);

  const frame = {
    messageId: answering.newId('msg'),
    model: profile.id,
    prompt: answering.cache.use(items, profile),
    transformations: contract.betas.has(bindingBeta) ? dropped : undefined,
  };
  const stage =
    body.stream === true
      ? openStream(response, requestId)
      : openMessageStage(response, requestId, encodeMessage(plan.reply, frame));
  const stop = playReply(encodeReply(plan.reply, frame), stage, answering.clock);
  response.once('close', stop);
}

/** `POST /v1/messages/count_tokens`: refuses what a message would be refused for. */
export async function answerCount({ request, response, requestId }: Exchange): Promise<void> {
  const contract = parseHeaders(request.headers);
  const body: unknown = await receiveJson(request);
  // The limit of a reply that is not written is none of the request's fields.
  const accepted = acceptRequest({ ...Object(body), max_tokens: 32_000 }, contract);
  const { total } = countPrompt(accepted, await loadTokenizer());
  sendJson(response, requestId, { status: 200, body: { input_tokens: total } });
}
