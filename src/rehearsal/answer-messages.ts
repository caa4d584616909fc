import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../platform/clock.js';
import { acceptRequest } from './accept-request.js';
import { openMessageStage, openStream } from './http/open-stage.js';
import { parseJsonBody } from './http/parse-body.js';
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

/** The parts that all answers of a rehearsal share. */
export interface RehearsalParts {
  clock: Clock;
  newId: (prefix: string) => string;
  onRequest: (request: RehearsalRequest) => void;
  cache: PromptCache;
}

/** `POST /v1/messages`. */
export async function answerMessages(exchange: Exchange, parts: RehearsalParts): Promise<void> {
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
    transformations: contract.betas.has(bindingBeta) ? dropped : undefined,
  };
  const stage =
    body.stream === true
      ? openStream(response, requestId)
      : openMessageStage(response, requestId, encodeMessage(plan.reply, frame));
  const stop = playReply(encodeReply(plan.reply, frame), stage, parts.clock);
  response.once('close', stop);
}

/** `POST /v1/messages/count_tokens`: refuses every request that `POST /v1/messages` refuses. */
export async function answerCount({ request, response, requestId }: Exchange): Promise<void> {
  const contract = parseHeaders(request.headers);
  const body: unknown = await parseJsonBody(request);
  // A count has no `max_tokens`, which the validation of messages requires.
  const accepted = acceptRequest({ ...Object(body), max_tokens: 32_000 }, contract);
  const { total } = countPrompt(accepted, await loadTokenizer());
  sendJson(response, requestId, { status: 200, body: { input_tokens: total } });
}
