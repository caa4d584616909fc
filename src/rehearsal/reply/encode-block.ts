import { assertNever } from '../../platform/assert-never.js';
import type { ReplyBlock } from './reply-plan.js';
import type { WireBlock, WireDelta } from './stream-types.js';

/** A block at its `content_block_start`. */
export function blockStart(block: ReplyBlock): WireBlock {
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
    default:
      return assertNever(block);
  }
}

/** The whole block. */
export function wholeBlock(block: ReplyBlock): WireBlock {
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
    default:
      return assertNever(block);
  }
}

type ToolBlock = Extract<ReplyBlock, { type: 'tool_use' | 'server_tool_use' }>;

function toolUse(block: ToolBlock, input: ToolBlock['input']): WireBlock {
  return { type: block.type, id: block.id, name: block.name, input, caller: { type: 'direct' } };
}

/** The delta of a piece of a block; undefined where it is not sent. */
export function deltaOf(block: ReplyBlock, text: string): WireDelta | undefined {
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
    default:
      return assertNever(block);
  }
}

/** The deltas after a block's last piece. */
export function closingDeltas(block: ReplyBlock): WireDelta[] {
  if (block.type === 'thinking') {
    return [{ type: 'signature_delta', signature: block.signature }];
  }
  if (block.type === 'text' && block.citation) {
    return [{ type: 'citations_delta', citation: block.citation }];
  }
  return [];
}
