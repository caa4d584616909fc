import {
  assistantMessageId,
  type MessageDto,
  type MessagePart,
  type StepDto,
  type StoredTurn,
  viewMessages,
  viewSteps,
} from '../../turn/face.js';
import { isPlainObject, printJson } from '../../platform/face.js';
import { contextTokens, noUsage } from '../../events/face.js';
import { unendedStatuses } from '../../storage/face.js';
import type { AgUiMessage, ShownTurn, TurnpikeView } from './dialect/ag-ui-frames.js';
import { textOf } from './dialect/ag-ui-messages.js';
import { TODO_TOOL } from './dialect/ag-ui.js';

/**
 * A session's turns as messages of the protocol: those that a client has that read their streams. Pure.
 *
 * @param upTo the turn whose user message is the last one; undefined: all of all turns.
 */
export function viewThread(turns: readonly StoredTurn[], upTo?: string): AgUiMessage[] {
  const index = turns.findIndex(({ turn }) => turn.id === upTo);
  const current = turns[index];
  const messages = (current === undefined ? turns : turns.slice(0, index)).flatMap(viewTurn);
  const asked = current === undefined ? [] : viewMessages([current]).slice(0, 1).map(userMessage);
  return withClientIds([...messages, ...asked], turns);
}

/** The messages under the ids that the client gave them, each of which stands for one message, the first. */
function withClientIds(
  messages: readonly AgUiMessage[],
  turns: readonly StoredTurn[],
): AgUiMessage[] {
  const given = new Map<string, string>();
  const taken = new Set(messages.map(({ id }) => id));
  const give = (messageId: string, clientId: string | null | undefined): void => {
    if (typeof clientId !== 'string' || taken.has(clientId)) return;
    taken.add(clientId);
    given.set(messageId, clientId);
  };
  for (const { turn, userMessageId, steered } of turns) {
    give(userMessageId, turn.request.clientMessageId);
    for (const { messageId, clientId } of steered) give(messageId, clientId);
  }
  return messages.map((message) => ({ ...message, id: given.get(message.id) ?? message.id }));
}

function viewTurn(stored: StoredTurn): AgUiMessage[] {
  const steps = viewSteps(stored);
  const messageId = assistantMessageId(stored.turn.id);
  // Notices are the server's, and none of the conversation.
  const asked = viewMessages([stored])
    .filter(({ role }) => role === 'user')
    .map(userMessage);
  const replies = steps.flatMap((step) => viewStep(messageId, step, stored));
  return [...asked, ...withEndNote(replies, stored, messageId)];
}

/** The stream says the note at the end of the last reply, or as a message of its own. */
function withEndNote(
  replies: readonly AgUiMessage[],
  { turn: { endNote }, steps }: StoredTurn,
  messageId: string,
): AgUiMessage[] {
  if (endNote === null) return [...replies];
  const last = replies.findLastIndex(({ role }) => role === 'assistant');
  const reply = replies[last];
  if (reply === undefined) {
    return [...replies, { id: `${messageId}-end`, role: 'assistant', content: endNote }];
  }
  const saidNothing = steps.every(({ parts }) =>
    parts.every((part) => part.type !== 'text' || part.text === ''),
  );
  const content = [textOf(reply), ...(saidNothing ? [] : ['\n\n']), endNote].join('');
  return replies.with(last, { ...reply, content });
}

/** Files are parts by their address, which the client can send again. */
function userMessage({ messageId: id, parts }: MessageDto): AgUiMessage {
  const texts = parts.flatMap((part) => (part.type === 'text' ? part.text : []));
  const text = texts.join('\n\n');
  const files = parts.flatMap((part) => {
    if (part.type !== 'file') return [];
    const { name: filename, mimeType, url: value } = part;
    const source = { type: 'url', value, mimeType };
    return [{ type: mediaTypeOf(mimeType), source, metadata: { filename } }];
  });
  if (files.length === 0) return { id, role: 'user', content: text };
  const said = text === '' ? [] : [{ type: 'text', text }];
  return { id, role: 'user', content: [...said, ...files] };
}

function viewStep(messageId: string, { step, parts }: StepDto, stored: StoredTurn): AgUiMessage[] {
  const id = `${messageId}-${step}`;
  const thoughts = parts.flatMap((part) => (part.type === 'thinking' ? part.text : []));
  const texts = parts.flatMap((part) => (part.type === 'text' ? part.text : []));
  const calls = parts.flatMap((part) => (part.type === 'tool' ? [part] : []));
  const toolCalls = calls.map(({ toolUseId, name, input }) => ({
    id: toolUseId,
    type: 'function' as const,
    function: { name, arguments: printJson(input ?? {}) },
  }));
  return [
    ...(thoughts.length === 0
      ? []
      : [{ id: `${id}-thinking`, role: 'reasoning', content: thoughts.join('') }]),
    {
      id,
      role: 'assistant',
      content: texts.join(''),
      ...(toolCalls.length === 0 ? {} : { toolCalls }),
    },
    ...calls.flatMap((call) => viewResult(call, stored)),
  ];
}

function viewResult(
  { toolUseId, status, output }: Extract<MessagePart, { type: 'tool' }>,
  { calls }: StoredTurn,
): AgUiMessage[] {
  if (output === null) return [];
  const durationMs = calls.find(({ callId }) => callId === toolUseId)?.durationMs ?? 0;
  const metadata = { turnpike: { status, durationMs } };
  const id = `${toolUseId}-result`;
  return [{ id, role: 'tool', toolCallId: toolUseId, content: output, metadata }];
}

/**
 * A thread's last turn as its stream left it in a client's state, from what is stored of it. Pure.
 *
 * @returns undefined for a thread without turns.
 */
export function viewLastTurn(turns: readonly StoredTurn[]): ShownTurn | undefined {
  const stored = turns.at(-1);
  if (stored === undefined) return undefined;
  const { turn, steps, notices } = stored;
  const { persona: agent, model } = turn.options.options;
  return {
    sessionId: turn.sessionId,
    turnId: turn.id,
    agent,
    model,
    status: statusOf(turn.status),
    usage: turn.usage ?? noUsage,
    contextTokens: contextTokens(steps.at(-1)?.usage ?? noUsage),
    todos: lastTodos(stored),
    notices: notices.map(({ kind, text }) => ({ kind, text })),
  };
}

function statusOf(status: StoredTurn['turn']['status']): TurnpikeView['status'] {
  const isOpen = (one: typeof status): one is (typeof unendedStatuses)[number] =>
    unendedStatuses.some((unended) => unended === one);
  return isOpen(status) ? 'running' : status;
}

/** The list as the turn last wrote it; null where it wrote none. */
function lastTodos({ calls }: StoredTurn): unknown {
  const written = calls
    .filter(({ name, status }) => name === TODO_TOOL && status === 'success')
    .toSorted((a, b) => a.claimedAt.getTime() - b.claimedAt.getTime())
    .at(-1)?.input;
  return isPlainObject(written) ? (written['todos'] ?? null) : null;
}

/**
 * A message with the `binary` parts of the protocol before 1.0 as the media parts of today: a client that
 * was built with an older package sends files that way. Pure.
 */
export function toMediaParts(message: AgUiMessage): AgUiMessage {
  const { content } = message;
  return Array.isArray(content) ? { ...message, content: content.map(toMediaPart) } : message;
}

function toMediaPart(part: unknown): unknown {
  if (!isPlainObject(part) || part['type'] !== 'binary') return part;
  const { mimeType, data, url, id, filename } = part;
  const source = [
    { type: 'data', value: data, mimeType },
    { type: 'url', value: url, mimeType },
    { type: 'file', value: id, mimeType },
  ].find(({ value }) => value !== undefined && value !== null);
  return {
    type: mediaTypeOf(mimeType),
    // Without a source, the fault names the fields of today.
    source,
    ...(filename === undefined ? {} : { metadata: { filename } }),
  };
}

/** The type of a part for a file. */
function mediaTypeOf(mimeType: unknown): string {
  const [kind = ''] = typeof mimeType === 'string' ? mimeType.split('/', 1) : [];
  return ['image', 'audio', 'video'].includes(kind) ? kind : 'document';
}
