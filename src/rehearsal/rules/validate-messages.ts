import { isPlainObject } from '../../platform/json.js';
import type { WireContract } from '../http/parse-headers.js';
import { refuse } from '../http/wire-error.js';
import { blocksOf, type RequestMessage } from '../request-types.js';
import { validateBlock } from './validate-block.js';
import { validateCitations } from './validate-citations.js';
import { isServerResult, validateServerTools } from './validate-server-tools.js';
import { validateToolPairs } from './validate-tool-pairs.js';

const mostMessages = 100_000;
const directiveOnly =
  '; the directive-only form (content: [] with output_config) is accepted at any position';

/** @throws a 400 with the path of the fault */
export function validateMessages(messages: unknown, contract: WireContract): void {
  if (messages === undefined) throw refuse('request-shape', 'messages: Field required');
  if (!Array.isArray(messages)) {
    throw refuse('request-shape', 'messages: Input should be a valid list');
  }
  if (messages.length === 0) {
    throw refuse('request-shape', 'messages: at least one message is required');
  }
  if (messages.length > mostMessages) {
    throw refuse('message-count', `messages: at most ${mostMessages} messages are allowed`);
  }
  messages.forEach((message: unknown, index) =>
    validateMessage(message, { index, isLast: index === messages.length - 1, contract }),
  );
  const valid = messages as RequestMessage[];
  validateSystemPlaces(valid);
  validateToolPairs(valid);
  validateServerTools(valid);
  validateCitations(valid);
}

interface MessageContext {
  index: number;
  isLast: boolean;
  contract: WireContract;
}

function validateMessage(message: unknown, context: MessageContext): void {
  const path = `messages.${context.index}`;
  if (!isPlainObject(message)) throw refuse('request-shape', `${path}: Input should be an object`);
  const { role, content } = message;
  if (role !== 'user' && role !== 'assistant' && role !== 'system') {
    const roles = "Input should be 'user', 'assistant' or 'system'";
    throw refuse('request-shape', `${path}.role: ${roles}`);
  }
  if (context.index === 0 && role === 'assistant') {
    throw refuse('first-message', 'messages: first message must use the "user" role');
  }
  if (content === undefined) throw refuse('request-shape', `${path}.content: Field required`);
  if (content === '' || (Array.isArray(content) && content.length === 0)) {
    if (role === 'assistant' && context.isLast) return;
    throw refuse(
      'empty-content',
      `${path}: all messages must have non-empty content except for the optional final assistant message`,
    );
  }
  const holder = { holder: role, contract: context.contract } as const;
  if (typeof content === 'string') {
    validateBlock({ type: 'text', text: content }, { ...holder, path: `${path}.content` });
  } else if (Array.isArray(content)) {
    content.forEach((block, index) =>
      validateBlock(block, { ...holder, path: `${path}.content.${index}` }),
    );
  } else {
    throw refuse('request-shape', `${path}.content: Input should be a valid string or list`);
  }
}

/**
 * System messages must follow a user message or an assistant message that ends in the result of a
 * server tool, and precede an assistant message or the end.
 */
function validateSystemPlaces(messages: readonly RequestMessage[]): void {
  messages.forEach((message, index) => {
    if (message.role !== 'system') return;
    const before = messages.slice(0, index).findLast(({ role }) => role !== 'system');
    if (before?.role !== 'user' && !(before && endsInServerResult(before))) {
      throw refuse(
        'system-place',
        `messages.${index}: role 'system' must follow a 'user' message or an 'assistant' message ` +
          `ending in a server tool result${directiveOnly}`,
      );
    }
    const after = messages.slice(index).find(({ role }) => role !== 'system');
    if (after !== undefined && after.role !== 'assistant') {
      throw refuse(
        'system-place',
        `messages.${index}: role 'system' must precede an 'assistant' message or end the array` +
          directiveOnly,
      );
    }
  });
}

function endsInServerResult(message: RequestMessage): boolean {
  const last = blocksOf(message).at(-1);
  return message.role === 'assistant' && last !== undefined && isServerResult(last);
}
