import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../src/platform/clock.js';
import { newId } from '../src/platform/ids.js';
import { acceptRequest } from '../rehearsal/accept-request.js';
import { frameEvent, countPrompt } from '../rehearsal/start-rehearsal.js';
import { parseJsonText, parseHeaders } from '../rehearsal/http/read-request.js';
import { errorEnvelope, rehearsedFailure, WireError } from '../rehearsal/http/wire-error.js';
import { listModels } from '../rehearsal/models/models.js';
import { encodeReply } from '../rehearsal/reply/encode-reply.js';
import { planReply } from '../rehearsal/reply/plan-reply.js';
import { playReply, type Stage } from '../rehearsal/reply/play-reply.js';
import { loadTokenizer } from '../rehearsal/usage/prompt-items.js';
import { PromptCache } from '../rehearsal/usage/prompt-cache.js';

/** Called with the messages of each request that is valid. */
export type OnRequest = (messages: ReturnType<typeof acceptRequest>['body']['messages']) => void;

/** The rehearsal as a `fetch`: its own validation and scripts, without a socket. */
export function simulatedModel(clock: Clock, onRequest: OnRequest): typeof fetch {
  const cache = new PromptCache(() => clock.now());
  return async (input, init) => {
    const requestId = newId('req');
    try {
      const url = new URL(input instanceof Request ? input.url : input);
      const headers = Object.fromEntries(new Headers(init?.headers)) as IncomingHttpHeaders;
      if (url.pathname.startsWith('/v1/models')) {
        return Response.json(listModels(url.searchParams), {
          headers: { 'request-id': requestId },
        });
      }
      const contract = parseHeaders(headers);
      const body = parseJsonText(typeof init?.body === 'string' ? init.body : '');
      if (url.pathname.endsWith('/count_tokens')) {
        const accepted = acceptRequest({ ...Object(body), max_tokens: 32_000 }, contract);
        const { total } = countPrompt(accepted, await loadTokenizer());
        return Response.json({ input_tokens: total });
      }
      const accepted = acceptRequest(body, contract);
      onRequest(accepted.body.messages);
      const { items, total } = countPrompt(accepted, await loadTokenizer());
      const plan = planReply(accepted, {
        retryCount: 0,
        headroom: accepted.profile.window - total,
        newId,
      });
      if (plan.kind === 'failure') throw rehearsedFailure(plan.failure);
      const frame = {
        messageId: newId('msg'),
        model: accepted.profile.id,
        prompt: cache.use(items, accepted.profile),
        transformations: undefined,
      };
      return stream(encodeReply(plan.reply, frame), { clock, requestId, signal: init?.signal });
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      return Response.json(errorEnvelope(error, requestId), {
        status: error.status,
        headers: { 'request-id': requestId, ...error.facts.headers },
      });
    }
  };
}

interface StreamParts {
  clock: Clock;
  requestId: string;
  signal: AbortSignal | null | undefined;
}

function stream(moves: Parameters<typeof playReply>[0], parts: StreamParts): Response {
  const { clock, requestId, signal } = parts;
  const encoder = new TextEncoder();
  let stop = (): void => undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      let isOver = false;
      const finish = (close: () => void): void => {
        if (isOver) return;
        isOver = true;
        stop();
        close();
      };
      const send = (text: string): void => {
        if (!isOver) controller.enqueue(encoder.encode(text));
      };
      const stage: Stage = {
        send: (events) => {
          send(events.map(frameEvent).join(''));
          return true;
        },
        isFull: false,
        whenDrained: (callback) => callback(),
        end: (breakOff) => {
          if (breakOff?.how === 'error') {
            send(frameEvent(errorEnvelope(rehearsedFailure(breakOff.failure), requestId)));
          }
          const isCut = breakOff !== undefined && breakOff.how !== 'error';
          finish(() =>
            isCut ? controller.error(new TypeError('terminated')) : controller.close(),
          );
        },
      };
      const abort = (): void =>
        finish(() => controller.error(new DOMException('aborted', 'AbortError')));
      if (signal?.aborted === true) return abort();
      signal?.addEventListener('abort', abort, { once: true });
      stop = playReply(moves, stage, clock);
    },
    cancel: () => stop(),
  });
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'request-id': requestId };
  return new Response(body, { headers });
}
