import {
  compact,
  isPlainObject,
  type JsonObject,
  parseJson,
  printJson,
} from '../../platform/face.js';
import type { ClientCall, ClientTurn } from '../../turn/face.js';
import type { WireFile } from './inline-files.js';

/** What was said or done in a conversation, as its client has it. */
export type HistoryItem<File = WireFile> =
  | { kind: 'user'; content: readonly (string | File)[]; clientId?: string | undefined }
  | { kind: 'reply'; text: string }
  | { kind: 'call'; call: ClientCall }
  | { kind: 'output'; callId: string; text: string; isError: boolean };

interface OpenTurn<File> {
  content: readonly (string | File)[];
  clientId?: string | undefined;
  replies: { texts: string[]; calls: ClientCall[] }[];
  /** Whether an output came since the last call: the next call is of another reply. */
  isAnswered: boolean;
}

/**
 * Makes turns of items: each message of the user begins one, outputs go to their calls wherever they stand.
 * Pure.
 *
 * @returns also the calls that outputs name and no item is.
 */
export function groupTurns<File>(items: readonly HistoryItem<File>[]): {
  turns: ClientTurn<File>[];
  strays: string[];
} {
  const outputs = outputsByCall(items);
  const turns: OpenTurn<File>[] = [];
  const current = (): OpenTurn<File> => {
    const last = turns.at(-1);
    if (last !== undefined) return last;
    turns.push({ content: [], replies: [], isAnswered: false });
    return current();
  };
  for (const item of items) {
    if (item.kind === 'user') {
      const { content, clientId } = item;
      turns.push({ content, clientId, replies: [], isAnswered: false });
    } else if (item.kind === 'reply') addText(current(), item.text);
    else if (item.kind === 'output') current().isAnswered = true;
    else {
      const { call } = item;
      const found = call.output === undefined ? outputs.take(call.callId) : undefined;
      addCall(current(), { ...call, ...found });
      // A call with its output in itself was answered before the next one.
      current().isAnswered = call.output !== undefined;
    }
  }
  return {
    turns: turns.map(({ content, clientId, replies }) => ({
      content,
      ...compact({ clientId }),
      replies,
    })),
    strays: outputs.left(),
  };
}

/**
 * The turns of a conversation that the server does not have. Messages of the user in a row are one, as new ones are; an
 * output whose call the client left out gets a call of its own. Pure.
 */
export function turnsOfHistory(items: readonly HistoryItem[]): ClientTurn<WireFile>[] {
  const calls = new Set(items.flatMap((item) => (item.kind === 'call' ? item.call.callId : [])));
  const joined: HistoryItem[] = [];
  for (const item of items) {
    const last = joined.at(-1);
    if (item.kind === 'user' && last?.kind === 'user') {
      joined[joined.length - 1] = { kind: 'user', content: [...last.content, ...item.content] };
    } else if (item.kind === 'output' && !calls.has(item.callId)) {
      const { callId, text, isError } = item;
      const call = { callId, name: 'unknown_tool', input: {}, output: text, isError };
      joined.push({ kind: 'call', call });
    } else joined.push(item);
  }
  return groupTurns(joined).turns;
}

/** What stands in an earlier message for a file that cannot be taken. */
export function missingFile(name: string, reason: string): string {
  return `[The file ${name} is missing here: ${reason}]`;
}

/** The arguments of a call: a model may give none, and a client sends what a model gave. */
export function parseArguments(text: string): JsonObject {
  if (text.trim() === '') return {};
  try {
    return argumentsOf(parseJson(text));
  } catch {
    return { arguments: text };
  }
}

/** Arguments that are no object, as the object that a call has. */
export function argumentsOf(value: unknown): JsonObject {
  if (value === null || value === undefined) return {};
  return isPlainObject(value)
    ? (value as JsonObject)
    : { arguments: typeof value === 'string' ? value : printJson(value) };
}

function addText({ replies }: OpenTurn<unknown>, text: string): void {
  const last = replies.at(-1);
  if (last !== undefined && last.calls.length === 0) last.texts.push(text);
  else replies.push({ texts: [text], calls: [] });
}

function addCall({ replies, isAnswered }: OpenTurn<unknown>, call: ClientCall): void {
  const last = replies.at(-1);
  if (last === undefined || (isAnswered && last.calls.length > 0)) {
    replies.push({ texts: [], calls: [call] });
  } else last.calls.push(call);
}

/** Outputs by their calls. Of more outputs than calls of one id, the last ones count. */
function outputsByCall(items: readonly HistoryItem<unknown>[]) {
  const calls = items.flatMap((item) => (item.kind === 'call' ? item.call.callId : []));
  const given = new Map<string, { output: string; isError: boolean }[]>();
  for (const item of items) {
    if (item.kind !== 'output') continue;
    const { callId, text: output, isError } = item;
    given.set(callId, [...(given.get(callId) ?? []), { output, isError }]);
  }
  for (const [callId, list] of given) {
    const asked = calls.filter((id) => id === callId).length;
    if (asked > 0) given.set(callId, list.slice(-asked));
  }
  return {
    take: (callId: string) => given.get(callId)?.shift(),
    left: () => [...given].flatMap(([callId, list]) => (list.length > 0 ? callId : [])),
  };
}
