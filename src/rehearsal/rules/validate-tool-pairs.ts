import { blocksOf, type RequestBlock, type RequestMessage } from '../request-types.js';
import { refuse } from '../http/wire-error.js';

interface Side {
  role: 'user' | 'assistant';
  blocks: { block: RequestBlock; path: string }[];
  /** The index of the side's first message. */
  index: number;
}

/**
 * Each call of an assistant must have one result in the user message right after it, results first,
 * and each result a call. Adjacent messages of one role count as one, as in the API; system messages
 * belong to the user's side.
 *
 * @throws a 400 with the index of the message at fault
 */
export function validateToolPairs(messages: readonly RequestMessage[]): void {
  const seen = new Set<string>();
  let calls: { index: number; ids: Set<string> } = { index: 0, ids: new Set() };
  for (const side of sidesOf(messages)) {
    if (side.role === 'assistant') {
      calls = { index: side.index, ids: callsOf(side, seen) };
    } else {
      takeResults(side, calls.ids);
      refuseUnanswered(calls);
    }
  }
  refuseUnanswered(calls);
}

function sidesOf(messages: readonly RequestMessage[]): Side[] {
  const sides: Side[] = [];
  messages.forEach((message, index) => {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks = blocksOf(message).map((block, position) => ({
      block,
      path: `messages.${index}.content.${position}`,
    }));
    const last = sides.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else sides.push({ role, blocks, index });
  });
  return sides;
}

function callsOf(side: Side, seen: Set<string>): Set<string> {
  const ids = new Set<string>();
  for (const { block, path } of side.blocks) {
    if (block.type !== 'tool_use') continue;
    if (seen.has(block.id))
      throw refuse('tool-pairs', `${path}: \`tool_use\` ids must be unique: ${block.id}`);
    seen.add(block.id);
    ids.add(block.id);
  }
  return ids;
}

/** Removes the calls that have results in the side from `unanswered`. */
function takeResults(side: Side, unanswered: Set<string>): void {
  let otherBefore = false;
  for (const { block, path } of side.blocks) {
    if (block.type !== 'tool_result') {
      otherBefore = true;
    } else if (!unanswered.delete(block.tool_use_id)) {
      throw refuse(
        'tool-pairs',
        `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ` +
          `${block.tool_use_id}. Each \`tool_result\` block must have a corresponding ` +
          '`tool_use` block in the previous message, and be its only answer.',
      );
    } else if (otherBefore) {
      throw refuse(
        'tool-pairs',
        `${path}: \`tool_result\` blocks must come before any other content`,
      );
    }
  }
}

function refuseUnanswered(calls: { index: number; ids: ReadonlySet<string> }): void {
  if (calls.ids.size === 0) return;
  throw refuse(
    'tool-pairs',
    `messages.${calls.index}: \`tool_use\` ids were found without \`tool_result\` blocks ` +
      `immediately after: ${[...calls.ids].join(', ')}. Each \`tool_use\` block must have a ` +
      'corresponding `tool_result` block in the next message.',
  );
}
