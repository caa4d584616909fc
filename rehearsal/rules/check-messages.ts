import type { WireContract } from '../http/read-request.js';
import { refuse } from '../http/wire-error.js';
import {
  blocksOf,
  pathOf,
  referencesIn,
  type MessagesRequest,
  type OfferedTool,
  type OpaqueBlock,
  type PlacedBlock,
  type RequestBlock,
  type RequestMessage,
} from '../request-types.js';

const directiveOnly =
  '; the directive-only form (content: [] with output_config) is accepted at any position';

/**
 * Refuses messages, each of which is valid, for what they are together, and for what the version does not have.
 *
 * @throws a 400 with the path of the fault
 */
export function checkMessages(
  { messages, tools = [] }: MessagesRequest,
  { version }: WireContract,
  blocks: readonly PlacedBlock[],
): void {
  if (messages[0]?.role === 'assistant') {
    throw refuse('first-message', 'messages: first message must use the "user" role');
  }
  const isOld = version === '2023-06-01';
  messages.forEach(({ role, content }, index) => {
    if (content.length === 0 && (role !== 'assistant' || index < messages.length - 1)) {
      throw refuse(
        'empty-content',
        `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
      );
    }
    if (!isOld && typeof content !== 'string') checkVersion(role, content, index);
  });
  checkSystemPlaces(messages);
  checkToolPairs(messages);
  // Most conversations have none of these: they are not read once more for each.
  const types = new Set(blocks.map(({ block }) => block.type));
  if ([...types].some((type) => type === 'server_tool_use' || isServerResult({ type }))) {
    checkServerTools(messages);
  }
  if (types.has('document')) checkCitations(blocks);
  if (types.has('tool_reference') || types.has('tool_search_tool_result')) {
    checkToolReferences(blocks, tools);
  }
}

/** Tools that a search found, the API's own or the client's, must be among the tools of the request. */
function checkToolReferences(blocks: readonly PlacedBlock[], tools: readonly OfferedTool[]): void {
  const names = new Set(tools.map(({ name }) => name));
  for (const placed of blocks) {
    const unknown = referencesIn(placed.block).find(({ tool_name: name }) => !names.has(name));
    if (unknown === undefined) continue;
    throw refuse(
      'tool-reference',
      `${pathOf(placed)}: Tool reference '${unknown.tool_name}' not found in available tools`,
      { error_code: 'tool_reference_unresolved' },
    );
  }
}

/** Refuses what version 2026-10-21 no longer takes. */
function checkVersion(
  role: RequestMessage['role'],
  content: readonly RequestBlock[],
  index: number,
): void {
  content.forEach((block, at) => {
    if (role === 'assistant' && block.type === 'document') {
      throw refuse(
        'assistant-document',
        `messages.${index}.content.${at}: document blocks are only allowed in user content`,
      );
    }
    if (role === 'user' && block.type === 'text' && (block.citations?.length ?? 0) > 0) {
      throw refuse(
        'user-citations',
        `messages.${index}.content.${at}.text.citations: only assistant text may have citations`,
      );
    }
  });
}

/**
 * System messages must follow a user message or an assistant message that ends in the result of a
 * server tool, and precede an assistant message or the end.
 */
function checkSystemPlaces(messages: readonly RequestMessage[]): void {
  messages.forEach((message, index) => {
    if (message.role !== 'system') return;
    const before = messages.findLast(({ role }, at) => at < index && role !== 'system');
    if (before?.role !== 'user' && !(before && endsInServerResult(before))) {
      throw refuse(
        'system-place',
        `messages.${index}: role 'system' must follow a 'user' message or an 'assistant' message ` +
          `ending in a server tool result${directiveOnly}`,
      );
    }
    const after = messages.find(({ role }, at) => at > index && role !== 'system');
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

interface OpenCalls {
  /** The index of the first message of the assistant's side. */
  index: number;
  ids: Set<string>;
}

/**
 * Each call of an assistant must have one result in the user message right after it, results first,
 * and each result a call. Adjacent messages of one role count as one, as in the API; system messages
 * belong to the user's side.
 *
 * @throws a 400 with the index of the message at fault
 */
function checkToolPairs(messages: readonly RequestMessage[]): void {
  const seen = new Set<string>();
  let open: OpenCalls = { index: 0, ids: new Set() };
  let isAssistant = false;
  let otherBefore = false;
  messages.forEach((message, index) => {
    if ((message.role === 'assistant') !== isAssistant) {
      isAssistant = !isAssistant;
      otherBefore = false;
      if (isAssistant) {
        refuseUnanswered(open);
        open = { index, ids: new Set() };
      }
    }
    for (const [at, block] of blocksOf(message).entries()) {
      if (isAssistant) {
        if (block.type !== 'tool_use') continue;
        if (seen.has(block.id)) {
          throw pairFault(index, at, `\`tool_use\` ids must be unique: ${block.id}`);
        }
        seen.add(block.id);
        open.ids.add(block.id);
      } else if (block.type !== 'tool_result') {
        otherBefore = true;
      } else if (!open.ids.delete(block.tool_use_id)) {
        throw pairFault(
          index,
          at,
          'unexpected `tool_use_id` found in `tool_result` blocks: ' +
            `${block.tool_use_id}. Each \`tool_result\` block must have a corresponding ` +
            '`tool_use` block in the previous message, and be its only answer.',
        );
      } else if (otherBefore) {
        throw pairFault(index, at, '`tool_result` blocks must come before any other content');
      }
    }
  });
  refuseUnanswered(open);
}

function pairFault(index: number, at: number, what: string): Error {
  return refuse('tool-pairs', `messages.${index}.content.${at}: ${what}`);
}

function refuseUnanswered(calls: OpenCalls): void {
  if (calls.ids.size === 0) return;
  throw refuse(
    'tool-pairs',
    `messages.${calls.index}: \`tool_use\` ids were found without \`tool_result\` blocks ` +
      `immediately after: ${[...calls.ids].join(', ')}. Each \`tool_use\` block must have a ` +
      'corresponding `tool_result` block in the next message.',
  );
}

/**
 * Each call of a server tool must have its result in the same turn of the assistant, and each result
 * its call. A call may stay open where the turn goes on: at the end, or before messages with nothing
 * but results of the client's tools.
 *
 * @throws a 400 with the index of the message at fault
 */
function checkServerTools(messages: readonly RequestMessage[]): void {
  const open = new Map<string, OpenCall>();
  messages.forEach((message, index) => {
    if (message.role !== 'assistant') {
      if (open.size === 0) return;
      const goesOn = blocksOf(message).every(({ type }) => type === 'tool_result');
      if (!goesOn) throw openServerCall(open);
      return;
    }
    for (const block of blocksOf(message)) {
      if (block.type === 'server_tool_use') {
        open.set(block.id ?? '', { index, name: block.name ?? '' });
      } else if (isServerResult(block) && !open.delete(block.tool_use_id ?? '')) {
        throw strayServerResult(index, block);
      }
    }
  });
}

interface OpenCall {
  /** The index of the call's message. */
  index: number;
  name: string;
}

function isServerResult(block: Pick<RequestBlock, 'type'>): block is OpaqueBlock {
  return block.type !== 'tool_result' && block.type.endsWith('_tool_result');
}

function openServerCall(open: ReadonlyMap<string, OpenCall>): Error {
  const [[id, { index, name }] = ['', { index: 0, name: '' }]] = open;
  return refuse(
    'server-tool-pairs',
    `messages.${index}: \`${name}\` tool use with id \`${id}\` was found without a corresponding ` +
      `\`${name}_tool_result\` block`,
  );
}

function strayServerResult(index: number, { type, tool_use_id: id }: OpaqueBlock): Error {
  return refuse(
    'server-tool-pairs',
    `messages.${index}: unexpected \`tool_use_id\` found in \`${type}\` blocks: ${id}. Each ` +
      `\`${type}\` block must have a corresponding \`server_tool_use\` block before it.`,
  );
}

/** Citations are enabled for all documents of a request, or for none. */
function checkCitations(blocks: readonly PlacedBlock[]): void {
  const enabled = blocks.flatMap(({ block }) =>
    block.type === 'document' ? [block.citations?.enabled === true] : [],
  );
  if (new Set(enabled).size <= 1) return;
  throw refuse(
    'mixed-citations',
    'messages: citations must be enabled on all documents of a request, or on none',
  );
}
