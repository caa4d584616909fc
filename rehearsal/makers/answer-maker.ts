import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { AcceptedRequest } from '../accept-request.js';
import { parseJsonBody } from '../http/read-request.js';
import { rehearsedFailure, WireError } from '../http/wire-error.js';
import { makerProfile } from '../models/profiles.js';
import { encodeReply, type Move } from '../reply/encode-reply.js';
import { planReply } from '../reply/plan-reply.js';
import { PromptCache, totalOf } from '../usage/prompt-cache.js';
import { loadTokenizer, promptItems } from '../usage/prompt-items.js';
import type { WireEvent } from '../reply/reply-plan.js';
import { chatCompletions } from './chat-completions.js';
import { generateContent } from './generate-content.js';
import type { MakerWire } from './maker-wire.js';
import { responses } from './responses.js';

/** The wires of other makers, by the end of a path: their addresses have beginnings of their own. */
const wires: readonly (readonly [end: RegExp, MakerWire])[] = [
  [/\/chat\/completions$/, chatCompletions],
  [/\/responses$/, responses],
  [/\/models\/[^/:]+:streamGenerateContent$/, generateContent],
];

export function makerWireAt(path: string): MakerWire | undefined {
  return wires.find(([end]) => end.test(path))?.[1];
}

/** A reply of another maker's model, to be played. */
export interface MakerReply {
  moves: Generator<Move, void, void>;
  encode: (event: WireEvent) => string;
}

export interface MakerParts {
  newId: (prefix: string) => string;
  now: () => number;
  /** How often a request failed on purpose, by its digest: the packages of makers count no retries. */
  failed: Map<string, number>;
}

/** Requests that are remembered at most. */
const MAX_FAILED = 100;

/**
 * Plans the reply to a request of another maker's wire, by the directives of its last message.
 *
 * @throws WireError in the maker's words; the failure that a directive asks for.
 */
export async function planMakerReply(
  wire: MakerWire,
  request: IncomingMessage,
  path: string,
  { newId, now, failed }: MakerParts,
): Promise<MakerReply> {
  wire.checkHeaders(request.headers);
  const body = await parseJsonBody(request);
  const { model, request: taken, countsUsage } = wire.take(body, path);
  const profile = makerProfile(model);
  const accepted: AcceptedRequest = { body: taken, sent: taken, profile, dropped: [] };
  const items = promptItems(taken, profile, await loadTokenizer());
  const prompt = totalOf(items, profile);
  if (prompt > profile.window) {
    const details = { error_code: 'context_length_exceeded' };
    throw new WireError(400, wire.tooLong(prompt, profile.window), { details });
  }
  const digest = createHash('sha256').update(path).update(JSON.stringify(body)).digest('hex');
  const retryCount = failed.get(digest) ?? 0;
  const plan = planReply(accepted, { retryCount, headroom: profile.window - prompt, newId });
  if (plan.kind === 'failure') {
    if (failed.size >= MAX_FAILED) failed.clear();
    failed.set(digest, retryCount + 1);
    throw rehearsedFailure(plan.failure);
  }
  const id = newId('resp');
  const frame = {
    messageId: id,
    model,
    prompt: new PromptCache(now).use(items, profile),
    served: taken,
    transformations: undefined,
  };
  const created = Math.floor(now() / 1_000);
  return {
    moves: encodeReply(plan.reply, frame),
    encode: wire.encoder({ id, model, created, prompt, countsUsage }),
  };
}
