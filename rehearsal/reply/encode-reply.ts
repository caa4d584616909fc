import type Anthropic from '@anthropic-ai/sdk';
import type { DroppedThinking } from '../thinking/check-thinking.js';
import {
  type PromptUsage,
  deltaUsage,
  messageUsage,
  type OutputUsage,
  type Served,
} from '../usage/prompt-cache.js';
import type { BreakOff, ReplyBlock, ReplyPlan, WireEvent, WireMessage } from './reply-plan.js';

/** An action of playing a reply: send, pause, or break off, which is always the last. */
export type Move =
  | { type: 'send'; event: WireEvent }
  | { type: 'pause'; ms: number }
  | { type: 'break'; breakOff: BreakOff };

export interface ReplyFrame {
  messageId: string;
  model: string;
  prompt: PromptUsage;
  /** How the request asks to be served. */
  served?: Served;
  /** The thinking that was dropped from the request, where the client has that beta. */
  transformations: DroppedThinking[] | undefined;
}

/** The moves of a streamed reply, made one at a time so that a long reply takes no memory. */
export function* encodeReply(plan: ReplyPlan, frame: ReplyFrame): Generator<Move, void, void> {
  const { breakOff } = plan;
  let texts = 0;
  // The API counts one token at the start and again in the total: reports are cumulative.
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

/** The reply as one message, for a request that does not stream. */
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

/** The pause before a text delta, in ms. @param texts text deltas before it. */
function silenceBefore(plan: ReplyPlan, texts: number): number {
  if (texts === 0) return plan.firstMs;
  return plan.gapMs + (texts === 1 ? plan.stallMs : 0);
}

function openMessage(frame: ReplyFrame, output: OutputUsage): WireMessage {
  const { messageId, model, prompt, served, transformations } = frame;
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
    usage: messageUsage(prompt, output, served),
    ...(transformations ? { input_transformations: transformations } : {}),
  };
}

/** Output usage: one token for each delta of text, thinking or tool input. */
function countOutput(blocks: readonly ReplyBlock[]): OutputUsage {
  const usage: OutputUsage = { tokens: 0, thinking: 0, searches: 0 };
  for (const block of blocks) {
    usage.tokens += block.deltas.length;
    if (block.type === 'thinking' || block.type === 'redacted_thinking') {
      usage.thinking += block.deltas.length;
    }
    if (block.type === 'server_tool_use' && block.name === 'web_search') usage.searches += 1;
  }
  return usage;
}

/** A block at its `content_block_start`. */
function blockStart(block: ReplyBlock): Anthropic.ContentBlock {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: '', citations: block.citation ? [] : null };
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: block.data };
    case 'tool_use':
    case 'server_tool_use':
      return toolUse(block, {});
    case 'server_result':
      return block.result;
  }
}

/** The whole block. */
function wholeBlock(block: ReplyBlock): Anthropic.ContentBlock {
  const text = block.deltas.join('');
  switch (block.type) {
    case 'text':
      return { type: 'text', text, citations: block.citation ? [block.citation] : null };
    case 'thinking':
      return {
        type: 'thinking',
        thinking: block.isShown ? text : '',
        signature: block.signature,
      };
    case 'tool_use':
    case 'server_tool_use':
      return toolUse(block, block.input);
    case 'redacted_thinking':
    case 'server_result':
      return blockStart(block);
  }
}

type ToolBlock = Extract<ReplyBlock, { type: 'tool_use' | 'server_tool_use' }>;

function toolUse(block: ToolBlock, input: ToolBlock['input']): Anthropic.ContentBlock {
  const { deltas: _, ...call } = block;
  return { ...call, input, caller: { type: 'direct' } };
}

/** The delta of a piece of a block; undefined where it is not sent. */
function deltaOf(block: ReplyBlock, text: string): Anthropic.RawContentBlockDelta | undefined {
  switch (block.type) {
    case 'text':
      return { type: 'text_delta', text };
    case 'thinking':
      return block.isShown ? { type: 'thinking_delta', thinking: text } : undefined;
    case 'tool_use':
    case 'server_tool_use':
      return { type: 'input_json_delta', partial_json: text };
    case 'redacted_thinking':
    case 'server_result':
      return undefined;
  }
}

/** The deltas after a block's last piece. */
function closingDeltas(block: ReplyBlock): Anthropic.RawContentBlockDelta[] {
  if (block.type === 'thinking') {
    return [{ type: 'signature_delta', signature: block.signature }];
  }
  if (block.type === 'text' && block.citation) {
    return [{ type: 'citations_delta', citation: block.citation }];
  }
  return [];
}
