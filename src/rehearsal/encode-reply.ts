import { unreachable } from '../platform/exhaustive.js';
import { countOutputTokens } from './estimate-usage.js';
import type { BreakOff, ReplyBlock, ReplyPlan } from './reply-plan.js';
import { signThinking } from './sign-thinking.js';
import type { WireBlock, WireDelta, WireEvent, WireMessage, WireUsage } from './stream-types.js';

/** What to do next to play a reply: send, stay silent, or break off (always the last move). */
export type Move =
  | { type: 'send'; event: WireEvent }
  | { type: 'pause'; ms: number }
  | { type: 'break'; breakOff: BreakOff };

export interface ReplyFrame {
  messageId: string;
  inputTokens: number;
}

/** The moves of a streamed reply, made one at a time so that a long one costs no memory. */
export function* encodeReply(plan: ReplyPlan, frame: ReplyFrame): Generator<Move, void, void> {
  const { breakOff } = plan;
  let texts = 0;
  yield send({ type: 'message_start', message: openMessage(frame) });
  if (breakOff?.after === 0) {
    yield { type: 'break', breakOff };
    return;
  }

  for (const [index, block] of plan.blocks.entries()) {
    yield send({ type: 'content_block_start', index, content_block: openBlock(block) });
    if (index === 0) yield send({ type: 'ping' });
    for (const text of block.deltas) {
      if (block.type === 'text') {
        const silence = silenceBefore(plan, texts);
        if (silence > 0) yield { type: 'pause', ms: silence };
        texts += 1;
      }
      yield send({ type: 'content_block_delta', index, delta: deltaOf(block, text) });
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
  yield send({ type: 'message_delta', delta: plan.stop, usage: usageOf(plan, frame) });
  yield send({ type: 'message_stop' });
}

/** The same reply as one message, for a request that does not stream. */
export function encodeMessage(plan: ReplyPlan, frame: ReplyFrame): WireMessage {
  return {
    ...openMessage(frame),
    content: plan.blocks.map(closedBlock),
    ...plan.stop,
    usage: usageOf(plan, frame),
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

function openMessage(frame: ReplyFrame): WireMessage {
  return {
    id: frame.messageId,
    type: 'message',
    role: 'assistant',
    model: 'rehearsal',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    // The API counts one from the start and repeats it in the total: a client must not add up.
    usage: usage(frame.inputTokens, 1),
  };
}

function usageOf(plan: ReplyPlan, frame: ReplyFrame): WireUsage {
  return usage(frame.inputTokens, countOutputTokens(plan.blocks));
}

function usage(inputTokens: number, outputTokens: number): WireUsage {
  return {
    input_tokens: inputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: outputTokens,
  };
}

function openBlock(block: ReplyBlock): WireBlock {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: '', ...(block.citation ? { citations: [] } : {}) };
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'tool_use':
      return toolUse(block, {});
    default:
      return unreachable(block);
  }
}

function closedBlock(block: ReplyBlock): WireBlock {
  const text = block.deltas.join('');
  switch (block.type) {
    case 'text':
      return { type: 'text', text, ...(block.citation ? { citations: [block.citation] } : {}) };
    case 'thinking':
      return { type: 'thinking', thinking: text, signature: signThinking(text) };
    case 'tool_use':
      return toolUse(block, block.input);
    default:
      return unreachable(block);
  }
}

type ToolBlock = Extract<ReplyBlock, { type: 'tool_use' }>;

function toolUse(block: ToolBlock, input: ToolBlock['input']): WireBlock {
  return { type: 'tool_use', id: block.id, name: block.name, input, caller: { type: 'direct' } };
}

function deltaOf(block: ReplyBlock, text: string): WireDelta {
  switch (block.type) {
    case 'text':
      return { type: 'text_delta', text };
    case 'thinking':
      return { type: 'thinking_delta', thinking: text };
    case 'tool_use':
      return { type: 'input_json_delta', partial_json: text };
    default:
      return unreachable(block);
  }
}

/** What follows a block's last piece. */
function closingDeltas(block: ReplyBlock): WireDelta[] {
  if (block.type === 'thinking') {
    return [{ type: 'signature_delta', signature: signThinking(block.deltas.join('')) }];
  }
  if (block.type === 'text' && block.citation) {
    return [{ type: 'citations_delta', citation: block.citation }];
  }
  return [];
}
