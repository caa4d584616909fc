import {
  blocksOf,
  type DocumentBlock,
  type MessagesRequest,
  type RequestBlock,
  type RequestMessage,
  type ToolResultBlock,
} from '../request-types.js';
import { hasDirective } from '../directives/parse-directives.js';

/** The latest turn of a request's conversation, which the reply continues. */
export interface RequestedTurn {
  /** The text of the user message that opened the turn, with its directives. */
  text: string;
  /** The number of the reply in the turn, from 1: the rounds of tool calls and of notices so far, and one. */
  step: number;
  /** Kinds of the files in the opening message, in order. */
  attachments: ('image' | 'document')[];
  /** The tool results of the turn, in order. */
  results: { tool: string; firstLine: string; isError: boolean }[];
  /** The number of messages before the turn. */
  earlier: number;
  /** Whether an assistant message is last, which the reply continues. */
  continues: boolean;
  /** The call of a server tool that the reply before left open. */
  openServerCall: { id: string; name: string } | undefined;
  /** The last document of the request, and its index among all documents. */
  document: { block: DocumentBlock; index: number } | undefined;
}

export function extractTurn(request: MessagesRequest): RequestedTurn {
  const { messages } = request;
  const opening = Math.max(messages.findLastIndex(opensTurn), 0);
  const opener = messages[opening];
  const since = messages.slice(opening + 1);
  const rounds = since.filter((message, index) => {
    const next = since[index + 1];
    if (message.role !== 'assistant') return false;
    return (
      blocksOf(message).some((block) => block.type === 'tool_use') ||
      (next?.role === 'user' && isNotice(blocksOf(next)))
    );
  }).length;
  const documents = messages.flatMap((message) =>
    blocksOf(message).filter((block) => block.type === 'document'),
  );
  const document = documents.at(-1);
  return {
    text: opener ? textOf(blocksOf(opener)) : '',
    step: rounds + 1,
    attachments: opener
      ? blocksOf(opener).flatMap((block) =>
          block.type === 'image' || block.type === 'document' ? [block.type] : [],
        )
      : [],
    results: resultsOf(since),
    earlier: opening,
    continues: messages.at(-1)?.role === 'assistant',
    openServerCall: openServerCall(messages),
    document: document && { block: document, index: documents.length - 1 },
  };
}

/**
 * Whether a message opens a turn: a user message with text. Text beside tool results, or in the tags of
 * a system's message, is a notice to the model within a turn, unless it has a directive.
 */
function opensTurn(message: RequestMessage): boolean {
  if (message.role !== 'user') return false;
  const blocks = blocksOf(message);
  const text = textOf(blocks);
  if (text === '') return false;
  const carriesResults = blocks.some((block) => block.type === 'tool_result');
  return !(carriesResults || isNotice(blocks)) || hasDirective(text);
}

/** Whether a user message is nothing but what a server tells the model. */
function isNotice(blocks: readonly RequestBlock[]): boolean {
  return (
    blocks.length > 0 &&
    blocks.every((block) => block.type === 'text' && block.text.startsWith('<system_message'))
  );
}

/** The open call of a server tool, followed by nothing but results of the client's tools. */
function openServerCall(messages: readonly RequestMessage[]): RequestedTurn['openServerCall'] {
  const index = messages.findLastIndex(({ role }) => role === 'assistant');
  const last = messages[index];
  const after = messages.slice(index + 1).flatMap(blocksOf);
  if (last === undefined || !after.every(({ type }) => type === 'tool_result')) return undefined;
  const answered = new Set<string | undefined>(
    blocksOf(last).flatMap((block) => ('tool_use_id' in block ? [block.tool_use_id] : [])),
  );
  for (const block of blocksOf(last)) {
    if (block.type !== 'server_tool_use' || answered.has(block.id)) continue;
    return { id: block.id ?? '', name: block.name ?? '' };
  }
  return undefined;
}

function textOf(blocks: readonly RequestBlock[]): string {
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

function resultsOf(messages: readonly RequestMessage[]): RequestedTurn['results'] {
  const names = new Map<string, string>();
  return messages.flatMap(blocksOf).flatMap((block) => {
    if (block.type === 'tool_use') names.set(block.id, block.name);
    if (block.type !== 'tool_result') return [];
    const tool = names.get(block.tool_use_id) ?? block.tool_use_id;
    return [{ tool, firstLine: firstLineOf(block), isError: block.is_error === true }];
  });
}

function firstLineOf(result: ToolResultBlock): string {
  const { content } = result;
  if (content === undefined || content.length === 0) return '(empty)';
  if (typeof content === 'string') return firstLine(content);
  const text = textOf(content);
  return text === '' ? `(${content.map((block) => block.type).join(', ')})` : firstLine(text);
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

const MAX_QUOTE_CHARS = 60;
const MAX_LINE_CHARS = 200;
const MAX_NAMES = 12;

/** The reply to a message without directives: a description of the request, one sentence a delta. */
export function describeRequest(request: MessagesRequest, conversation: RequestedTurn): string[] {
  const { system = '' } = request;
  const systemLength =
    typeof system === 'string'
      ? system.length
      : system.reduce((sum, block) => sum + block.text.length, 0);
  return [
    'This is the rehearsal model.',
    ` You wrote: "${clip(conversation.text.replaceAll(/\s+/g, ' ').trim(), MAX_QUOTE_CHARS)}".`,
    ` ${describeAttachments(conversation.attachments)}`,
    ` ${describeTools((request.tools ?? []).map((tool) => tool.name))}`,
    ` System prompt: ${systemLength} characters.`,
    ` Earlier messages: ${conversation.earlier}.`,
    ` Step ${conversation.step}.`,
  ];
}

/** The reply to tool results: each tool and the first line of its result. */
export function describeResults(conversation: RequestedTurn): string[] {
  return [
    'The tools answered:',
    ...conversation.results.map(
      ({ tool, firstLine, isError }) =>
        `\n- ${tool}${isError ? ' (error)' : ''}: ${clip(firstLine, MAX_LINE_CHARS)}`,
    ),
  ];
}

/** `count` words, numbered so that tests see lost and repeated ones. */
export function numberedWords(word: string, count: number): string[] {
  return Array.from(
    { length: count },
    (_, index) => `${index === 0 ? '' : ' '}${word}${index + 1}`,
  );
}

function describeAttachments(kinds: readonly string[]): string {
  if (kinds.length === 0) return 'No attachments.';
  return `Attachments: ${kinds.length} (${kinds.join(', ')}).`;
}

function describeTools(names: readonly string[]): string {
  if (names.length === 0) return 'No tools offered.';
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return `Tools offered: ${names.slice(0, MAX_NAMES).join(', ')}${more}.`;
}

function clip(text: string, most: number): string {
  const characters = Array.from(text);
  return characters.length > most ? `${characters.slice(0, most).join('')}…` : text;
}
