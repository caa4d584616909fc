import { createHash } from 'node:crypto';
import type { ToldTurn } from '../../turn/submit/turn-submission.js';
import type { InlineFile } from '../conversation/inline-files.js';
import { groupTurns } from '../conversation/client-history.js';
import type { InputItem } from './read-item.js';
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

/**
 * Makes turns of items: each message of the user begins one, outputs go to their calls wherever they stand.
 * Pure.
 *
 * @throws TypedError INVALID_REQUEST 400 for an output of no call, and where nothing is new.
 */
export function tellItems(items: readonly KnownItem[]): ToldItems {
  const { turns, strays } = groupTurns(items.filter(isTold));
  const stray = items.find((item) => item.kind === 'output' && item.callId === strays[0]);
  if (stray !== undefined) {
    throw badParam(
      `${stray.field}.call_id`,
      `'${stray.field}.call_id' names no call of the input, and none that a response of yours waits for: send the call before its output`,
    );
  }
  return splitNew(turns);
}

type ToldItem = Extract<KnownItem, { kind: 'user' | 'reply' | 'call' | 'output' }>;

const isTold = (item: KnownItem): item is ToldItem =>
  ['user', 'reply', 'call', 'output'].includes(item.kind);

function splitNew(told: readonly ToldTurn<InlineFile>[]): ToldItems {
  const last = told.at(-1);
  if (last !== undefined && last.replies.length === 0 && last.said.length > 0) {
    return { told: told.slice(0, -1), said: last.said };
  }
  const ends = last?.replies.at(-1)?.calls.some(({ output }) => output !== undefined) ?? false;
  if (ends) return { told: [...told], said: [] };
  throw badParam(
    'input',
    "'input' says nothing new: end it with a message of the user that has text or a file, or with the output of a tool",
  );
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
