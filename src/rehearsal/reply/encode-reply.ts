import type { DroppedThinking } from '../thinking/check-thinking.js';
import type { PromptUsage } from '../usage/prompt-cache.js';
import { deltaUsage, messageUsage, type OutputUsage } from '../usage/wire-usage.js';
import { countOutput } from './count-output.js';
import { wholeBlock, closingDeltas, deltaOf, blockStart } from './encode-block.js';
import type { BreakOff, ReplyPlan } from './reply-plan.js';
import type { WireEvent, WireMessage } from './stream-types.js';

/** What to do next to play a reply: send, stay silent, or break off (always the last move). */
export type Move =
  | { type: 'send'; event: WireEvent }
  | { type: 'pause'; ms: number }
  | { type: 'break'; breakOff: BreakOff };

export interface ReplyFrame {
  messageId: string;
  model: string;
  prompt: PromptUsage;
  /** What was left out of the request, where the client asked to be told. */
  transformations: DroppedThinking[] | undefined;
}

/** The moves of a streamed reply, made one at a time so that a long one costs no memory. */
export function* encodeReply(plan: ReplyPlan, frame: ReplyFrame): Generator<Move, void, void> {
  const { breakOff } = plan;
  let texts = 0;
  // The API counts one from the start and repeats it in the total: a client must not add up.
  const begun = { tokens: 1, thinking: 0, searches: 0 };
  yield send({ type: 'message_start', message: openMessage(frame, begun) });
  if (breakOff?.after === 0) {
    yield { type: 'break', breakOff };
    return;
  }

  for (const [index, block] of plan.blocks.entries()) {
    yield send({ type: 'content_block_start', index, content_block: blockStart(block) });
    if (index === 0) yield send({ type: 'ping' });
    for (const text of block.deltas) {
      const delta = deltaOf(block, text);
      if (delta === undefined) continue;
      if (block.type === 'text') {
        const silence = silenceBefore(plan, texts);
        if (silence > 0) yield { type: 'pause', ms: silence };
        texts += 1;
      }
      yield send({ type: 'content_block_delta', index, delta });
      if (block.type === 'text' && breakOff?.after === texts) {
        yield { type: 'break', breakOff };
        return;
      }
    }
    for (const delta of closingDeltas(block)) {
      yield send({ type: 'content_block_delta', index, delta });
    }
    yield send({ type: 'content_block_stop', index });
  }

  if (texts <= 1 && plan.stallMs > 0) yield { type: 'pause', ms: plan.stallMs };
  if (breakOff) {
    yield { type: 'break', breakOff };
    return;
  }
  const usage = deltaUsage(frame.prompt, countOutput(plan.blocks));
  yield send({ type: 'message_delta', delta: { container: null, ...plan.stop }, usage });
  yield send({ type: 'message_stop' });
}

/** The same reply as one message, for a request that does not stream. */
export function encodeMessage(plan: ReplyPlan, frame: ReplyFrame): WireMessage {
  return {
    ...openMessage(frame, countOutput(plan.blocks)),
    content: plan.blocks.map(wholeBlock),
    ...plan.stop,
  };
}

function send(event: WireEvent): Move {
  return { type: 'send', event };
}

/** Milliseconds before the text delta that `texts` others precede. */
function silenceBefore(plan: ReplyPlan, texts: number): number {
  if (texts === 0) return plan.firstMs;
  return plan.gapMs + (texts === 1 ? plan.stallMs : 0);
}

function openMessage(frame: ReplyFrame, output: OutputUsage): WireMessage {
  const { messageId, model, prompt, transformations } = frame;
  return {
    id: messageId,
    type: 'message',
    role: 'assistant',
    model,
    container: null,
    content: [],
    diagnostics: null,
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    usage: messageUsage(prompt, output),
    ...(transformations ? { input_transformations: transformations } : {}),
  };
}
