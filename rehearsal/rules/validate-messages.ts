import { isPlainObject } from '../json.js';
import type { WireContract } from '../http/read-request.js';
import { refuse } from '../http/wire-error.js';
import {
  blocksOf,
  type RequestMessage,
  type RequestBlock,
  type MessagesRequest,
  type CacheMark,
} from '../request-types.js';
import { validateBlock } from './validate-blocks.js';
import { isServerResult, validateServerTools } from './validate-tools.js';

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
function validateToolPairs(messages: readonly RequestMessage[]): void {
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

const mostMarks = 4;

interface Mark {
  path: string;
  ttl: '5m' | '1h';
}

/** @throws a 400 for too many marks, or marks out of order */
export function validateCacheMarks(body: MessagesRequest): void {
  const marks = marksOf(body);
  const top = ttlOf(body.cache_control, 'cache_control');
  const last = lastCacheable(body);
  const lastMark = marks.find(({ path }) => path === last);
  if (top !== undefined && lastMark === undefined) marks.push({ path: 'cache_control', ttl: top });
  if (top !== undefined && lastMark !== undefined && lastMark.ttl !== top) {
    const other = `${last} has cache_control with another ttl (${lastMark.ttl})`;
    throw refuse('cache-order', `cache_control: ${other} than the request (${top})`);
  }
  if (marks.length > mostMarks) {
    throw refuse(
      'cache-count',
      `A maximum of ${mostMarks} blocks with cache_control may be provided. Found ${marks.length}.`,
    );
  }
  const short = marks.findIndex(({ ttl }) => ttl === '5m');
  const late = marks.find(({ ttl }, index) => ttl === '1h' && short >= 0 && index > short);
  if (late === undefined) return;
  throw refuse(
    'cache-order',
    `${late.path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' ` +
      'cache_control block. Note that blocks are processed in the following order: `tools`, ' +
      '`system`, `messages`.',
  );
}

/** The marks in the order of the prompt: tools, system, messages, with blocks inside of results. */
function marksOf(body: MessagesRequest): Mark[] {
  const { tools = [], system, messages } = body;
  const marks: Mark[] = [];
  const add = (holder: { cache_control?: CacheMark | null }, path: string): void => {
    const ttl = ttlOf(holder.cache_control, `${path}.cache_control`);
    if (ttl !== undefined) marks.push({ path, ttl });
  };
  tools.forEach((tool, index) => add(tool, `tools.${index}`));
  if (Array.isArray(system)) system.forEach((block, index) => add(block, `system.${index}`));
  messages.forEach((message, index) =>
    blocksOf(message).forEach((block, at) => {
      const path = `messages.${index}.content.${at}`;
      if (block.type === 'thinking' || block.type === 'redacted_thinking') return;
      if (block.type === 'tool_result' && Array.isArray(block.content)) {
        block.content.forEach((item, inner) => {
          if (item.type === 'thinking' || item.type === 'redacted_thinking') return;
          add(item, `${path}.content.${inner}`);
        });
      }
      add(block, path);
    }),
  );
  return marks;
}

function lastCacheable(body: MessagesRequest): string {
  const index = body.messages.length - 1;
  const message = body.messages[index];
  const blocks = message ? blocksOf(message) : [];
  const at = blocks.findLastIndex(
    ({ type }) => type !== 'thinking' && type !== 'redacted_thinking',
  );
  return `messages.${index}.content.${at}`;
}

function ttlOf(mark: unknown, path: string): '5m' | '1h' | undefined {
  if (mark === undefined || mark === null) return undefined;
  if (!isPlainObject(mark) || mark['type'] !== 'ephemeral') {
    throw refuse('request-shape', `${path}.type: Input should be 'ephemeral'`);
  }
  const { ttl = '5m' } = mark;
  if (ttl === '5m' || ttl === '1h') return ttl;
  throw refuse('request-shape', `${path}.ttl: Input should be '5m' or '1h'`);
}
