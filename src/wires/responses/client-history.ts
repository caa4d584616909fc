import { createHash } from 'node:crypto';
import type { ToldReply, ToldTurn } from '../../turn/submit/turn-submission.js';
import type { InlineFile } from '../conversation/store-inline-files.js';
import type { InputItem, ReadCall } from './read-item.js';
import { badParam } from './responses-errors.js';

/** Items of the input whose references are resolved. */
export type KnownItem = Exclude<InputItem, { kind: 'reference' }>;

/** What items say, in the order in which a model is to get it. */
export interface ToldItems {
  /** Turns before the message. */
  told: ToldTurn<InlineFile>[];
  /** The message that is new: texts and files. Empty: the model goes on from outputs of tools. */
  said: readonly (string | InlineFile)[];
}

interface OpenTurn {
  said: readonly (string | InlineFile)[];
  replies: {
    texts: string[];
    calls: (Omit<ReadCall, 'output'> & { output: string | undefined })[];
  }[];
  /** Whether an output came since the last call: the next call is of another reply. */
  isAnswered: boolean;
}

/**
 * Makes turns of items: each message of the user begins one, outputs go to their calls wherever they stand.
 * Pure.
 *
 * @throws TypedError INVALID_REQUEST 400 for an output of no call, and where nothing is new.
 */
export function tellItems(items: readonly KnownItem[]): ToldItems {
  const outputs = outputsByCall(items);
  const turns: OpenTurn[] = [];
  const current = (): OpenTurn => {
    const last = turns.at(-1);
    if (last !== undefined) return last;
    turns.push({ said: [], replies: [], isAnswered: false });
    return current();
  };
  for (const item of items) {
    if (item.kind === 'user') turns.push({ said: item.said, replies: [], isAnswered: false });
    else if (item.kind === 'reply') addText(current(), item.text);
    else if (item.kind === 'output') current().isAnswered = true;
    else if (item.kind === 'call') {
      const { call } = item;
      const found = call.output === undefined ? outputs.take(call.callId) : undefined;
      addCall(current(), { ...call, ...found });
      // A call with its output in itself was answered before the next one.
      current().isAnswered = call.output !== undefined;
    }
  }
  const stray = outputs.left();
  if (stray !== undefined) {
    throw badParam(
      `${stray.field}.call_id`,
      `'${stray.field}.call_id' names no call of the input, and none that a response of yours waits for: send the call before its output`,
    );
  }
  return splitNew(turns);
}

function addText(turn: OpenTurn, text: string): void {
  const last = turn.replies.at(-1);
  if (last !== undefined && last.calls.length === 0) last.texts.push(text);
  else turn.replies.push({ texts: [text], calls: [] });
  turn.isAnswered = false;
}

function addCall(turn: OpenTurn, call: ReadCall): void {
  const last = turn.replies.at(-1);
  if (last === undefined || (turn.isAnswered && last.calls.length > 0)) {
    turn.replies.push({ texts: [], calls: [call] });
  } else last.calls.push(call);
}

function splitNew(turns: readonly OpenTurn[]): ToldItems {
  const last = turns.at(-1);
  const told = turns.map(({ said, replies }): ToldTurn<InlineFile> => ({
    said,
    replies: replies.map(({ texts, calls }): ToldReply => ({ texts, calls })),
  }));
  if (last !== undefined && last.replies.length === 0 && last.said.length > 0) {
    return { told: told.slice(0, -1), said: last.said };
  }
  const ends = last?.replies.at(-1)?.calls.some(({ output }) => output !== undefined) ?? false;
  if (ends) return { told, said: [] };
  throw badParam(
    'input',
    "'input' says nothing new: end it with a message of the user that has text or a file, or with the output of a tool",
  );
}

type Output = Extract<KnownItem, { kind: 'output' }>;

/** Outputs by their calls. Of more outputs than calls of one id, the last ones count. */
function outputsByCall(items: readonly KnownItem[]) {
  const calls = items.flatMap((item) => (item.kind === 'call' ? item.call.callId : []));
  const given = new Map<string, Output[]>();
  for (const item of items) {
    if (item.kind === 'output') given.set(item.callId, [...(given.get(item.callId) ?? []), item]);
  }
  for (const [callId, list] of given) {
    const asked = calls.filter((id) => id === callId).length;
    if (asked > 0) given.set(callId, list.slice(-asked));
  }
  return {
    take(callId: string): { output: string; isError: boolean } | undefined {
      const next = given.get(callId)?.shift();
      return next && { output: next.text, isError: next.isError };
    },
    left(): Output | undefined {
      return [...given.values()].flat()[0];
    },
  };
}

/** A place in a conversation that its client sends whole: a message of the user. */
export interface HistoryPlace {
  /** Index of the message among the items. */
  index: number;
  /** Of all up to the message. */
  digest: string;
}

/**
 * The digests of a conversation up to each message of the user. Thinking, calls that the server ran and the
 * application's words are left out, as clients leave them out. Pure.
 */
export function historyPlaces(items: readonly KnownItem[]): HistoryPlace[] {
  let before = '';
  let between: KnownItem[] = [];
  return items.flatMap((item, index): HistoryPlace[] => {
    if (item.kind !== 'user') {
      between.push(item);
      return [];
    }
    const { text, calls } = describeReplies(between);
    before = createHash('sha256')
      .update(JSON.stringify([before, text, calls, item.digest]))
      .digest('base64url');
    between = [];
    return [{ index, digest: before }];
  });
}

/** What was replied between two messages, in a form that does not depend on how a client splits it. */
function describeReplies(items: readonly KnownItem[]): { text: string; calls: unknown[] } {
  const calls = items.flatMap((item) =>
    item.kind === 'output' ? [[item.callId, item.text] as const] : [],
  );
  return { text: textOf(items), calls: calls.toSorted(([a], [b]) => (a < b ? -1 : 1)) };
}

/** The texts of replies without their blanks, which clients join in ways of their own. */
export function textOf(items: readonly KnownItem[]): string {
  return withoutBlanks(items.flatMap((item) => (item.kind === 'reply' ? item.text : [])).join(''));
}

export function withoutBlanks(text: string): string {
  return text.replaceAll(/\s+/g, '');
}
