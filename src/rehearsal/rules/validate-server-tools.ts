import { refuse } from '../http/wire-error.js';
import {
  blocksOf,
  type OpaqueBlock,
  type RequestBlock,
  type RequestMessage,
} from '../request-types.js';

/**
 * Each call of a server tool must have its result in the same turn of the assistant, and each result
 * its call. A call may stay open where the turn goes on: at the end, or before messages with nothing
 * but results of the client's tools.
 *
 * @throws a 400 with the index of the message at fault
 */
export function validateServerTools(messages: readonly RequestMessage[]): void {
  const open = new Map<string, OpenCall>();
  messages.forEach((message, index) => {
    const blocks = blocksOf(message);
    if (message.role !== 'assistant') {
      const goesOn = blocks.every(({ type }) => type === 'tool_result');
      if (open.size > 0 && !goesOn) throw unanswered(open);
      return;
    }
    for (const block of blocks) {
      if (block.type === 'server_tool_use') {
        open.set(block.id ?? '', { index, name: block.name ?? '' });
      } else if (isServerResult(block) && !open.delete(block.tool_use_id ?? '')) {
        throw unexpected(index, block);
      }
    }
  });
}

interface OpenCall {
  /** The index of the call's message. */
  index: number;
  name: string;
}

export function isServerResult(block: RequestBlock): block is OpaqueBlock {
  return block.type !== 'tool_result' && block.type.endsWith('_tool_result');
}

function unanswered(open: ReadonlyMap<string, OpenCall>): Error {
  const [[id, { index, name }] = ['', { index: 0, name: '' }]] = open;
  return refuse(
    'server-tool-pairs',
    `messages.${index}: \`${name}\` tool use with id \`${id}\` was found without a corresponding ` +
      `\`${name}_tool_result\` block`,
  );
}

function unexpected(index: number, { type, tool_use_id: id }: OpaqueBlock): Error {
  return refuse(
    'server-tool-pairs',
    `messages.${index}: unexpected \`tool_use_id\` found in \`${type}\` blocks: ${id}. Each ` +
      `\`${type}\` block must have a corresponding \`server_tool_use\` block before it.`,
  );
}
