import { blocksOf, type MessagesRequest, type RequestBlock } from '../request-types.js';
import { refuse } from '../http/wire-error.js';

/** @throws a 400 where citations are enabled for some documents of a request and not for others */
export function validateCitations(messages: MessagesRequest['messages']): void {
  const flags = messages.flatMap(blocksOf).flatMap(citationFlags);
  if (new Set(flags).size > 1) {
    throw refuse(
      'mixed-citations',
      'messages: citations must be enabled on all documents of a request, or on none',
    );
  }
}

function citationFlags(block: RequestBlock): boolean[] {
  if (block.type === 'document') return [block.citations?.enabled === true];
  if (block.type !== 'tool_result' || !Array.isArray(block.content)) return [];
  return block.content.flatMap(citationFlags);
}
