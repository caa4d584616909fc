import { assertNever } from '../../platform/assert-never.js';
import type { ReplyBlock } from './reply-plan.js';

/** Cuts blocks to `most` deltas in all. A call that is cut keeps its partial JSON and no input. */
export function limitOutput(
  blocks: readonly ReplyBlock[],
  most: number,
): { blocks: ReplyBlock[]; isCut: boolean } {
  let left = most;
  const kept: ReplyBlock[] = [];
  for (const block of blocks) {
    if (block.deltas.length <= left && (left > 0 || block.deltas.length === 0)) {
      left -= block.deltas.length;
      kept.push(block);
      continue;
    }
    const cut = left > 0 ? cutBlock(block, left) : undefined;
    return { blocks: cut ? [...kept, cut] : kept, isCut: true };
  }
  return { blocks: kept, isCut: false };
}

/** The part of a block that is left; undefined for thinking, which has no signature without its end. */
function cutBlock(block: ReplyBlock, left: number): ReplyBlock | undefined {
  switch (block.type) {
    case 'text':
      return { type: 'text', deltas: block.deltas.slice(0, left) };
    case 'tool_use':
    case 'server_tool_use':
      return { ...block, deltas: block.deltas.slice(0, left), input: {} };
    case 'thinking':
    case 'redacted_thinking':
    case 'server_result':
      return undefined;
    default:
      return assertNever(block);
  }
}
