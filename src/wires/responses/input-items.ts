import { createHash } from 'node:crypto';
import type { ApprovalRow, ClientTurn } from '../../turn/face.js';
import type { InlineFile } from '../chat/inline-files.js';
import { groupTurns } from '../chat/client-history.js';
import { type JsonObject, newId } from '../../platform/face.js';
import type { InputItem } from './input-item.js';
import type { InputItemsDto } from './responses.dto.js';
import { badField } from './responses-errors.js';

/** Items of the input whose references are resolved. */
export type KnownItem = Exclude<InputItem, { kind: 'reference' }>;

/** What an input says, in the order in which a model is to get it. */
export interface SplitInput {
  /** Turns before the message. */
  earlier: ClientTurn<InlineFile>[];
  /** The message that is new: texts and files. Empty: the model goes on from outputs of tools. */
  content: readonly (string | InlineFile)[];
}

/**
 * Makes turns of items: each message of the user begins one, outputs go to their calls wherever they stand.
 * Pure.
 *
 * @throws TypedError INVALID_REQUEST 400 for an output of no call, and where nothing is new.
 */
export function splitInput(items: readonly KnownItem[]): SplitInput {
  const { turns, strays } = groupTurns(items.filter(isSaid));
  const stray = items.find((item) => item.kind === 'output' && item.callId === strays[0]);
  if (stray !== undefined) {
    throw badField(
      `${stray.field}.call_id`,
      'names no call of the input, and none that a response of yours waits for: send the call before its output',
    );
  }
  return splitNew(turns);
}

type SaidItem = Extract<KnownItem, { kind: 'user' | 'reply' | 'call' | 'output' }>;

const isSaid = (item: KnownItem): item is SaidItem =>
  ['user', 'reply', 'call', 'output'].includes(item.kind);

function splitNew(turns: readonly ClientTurn<InlineFile>[]): SplitInput {
  const last = turns.at(-1);
  if (last !== undefined && last.replies.length === 0 && last.content.length > 0) {
    return { earlier: turns.slice(0, -1), content: last.content };
  }
  const ends = last?.replies.at(-1)?.calls.some(({ output }) => output !== undefined) ?? false;
  if (ends) return { earlier: [...turns], content: [] };
  throw badField(
    'input',
    'has nothing new: end it with a message of the user that has text or a file, or with the output of a tool',
  );
}

/** A place in a conversation that its client sends whole: a message of the user. */
export interface HistoryDigest {
  /** Index of the message among the items. */
  index: number;
  /** Of all up to the message. */
  digest: string;
}

/**
 * The digests of a conversation up to each message of the user. Thinking, calls that the server ran and the
 * application's words are left out, as clients leave them out. Pure.
 */
export function historyDigests(items: readonly KnownItem[]): HistoryDigest[] {
  let before = '';
  let between: KnownItem[] = [];
  return items.flatMap((item, index): HistoryDigest[] => {
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

/** The texts of a message, without its files. */
export function textOf(content: readonly (string | InlineFile)[]): string {
  return content.filter((one) => typeof one === 'string').join('\n\n');
}

/** What was replied between two messages, in a form that does not depend on how a client splits it. */
function describeReplies(items: readonly KnownItem[]): { text: string; calls: unknown[] } {
  const calls = items.flatMap((item) =>
    item.kind === 'output' ? [[item.callId, item.text] as const] : [],
  );
  return { text: repliesIn(items), calls: calls.toSorted(([a], [b]) => (a < b ? -1 : 1)) };
}

/** The texts of replies without their blanks, which clients join in ways of their own. */
export function repliesIn(items: readonly KnownItem[]): string {
  return withoutBlanks(items.flatMap((item) => (item.kind === 'reply' ? item.text : [])).join(''));
}

export function withoutBlanks(text: string): string {
  return text.replaceAll(/\s+/g, '');
}

/** Beginnings of the ids of items, by their types. */
const prefixes: Partial<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
};

/** The items of an input as `input_items` gives them back: each has an id, and no two have the same. */
export function keepInput(items: readonly KnownItem[]): JsonObject[] {
  const given = new Set<string>();
  return items.map(({ kept }) => {
    const { id: sent, ...rest } = kept;
    const type = typeof rest['type'] === 'string' ? rest['type'] : '';
    const isOwn = typeof sent === 'string' && sent !== '' && !given.has(sent);
    const id = isOwn ? sent : newId(prefixes[type] ?? 'item');
    given.add(id);
    return { id, ...rest };
  });
}

/** The answers that a response begins with, as items of its input. Pure. */
export function answerItems(
  approvals: readonly ApprovalRow[],
  answered: readonly string[],
  customTools: readonly string[],
): JsonObject[] {
  return approvals.flatMap((approval): JsonObject[] => {
    const { id, kind, name, decision, output, message } = approval;
    if (!answered.includes(id)) return [];
    if (kind === 'client-tool') {
      const type = customTools.includes(name) ? 'custom_tool_call_output' : 'function_call_output';
      const given = output ?? message ?? '';
      return [{ type, id, call_id: id, output: given, status: 'completed' }];
    }
    const approve = decision === 'approve' || decision === 'approve-session';
    const answer = { approval_request_id: id, approve, reason: message };
    return [{ type: 'mcp_approval_response', id, ...answer }];
  });
}

/**
 * A page of input items. Pure.
 *
 * @param items in the order in which they were sent.
 * @throws TypedError INVALID_REQUEST 400 for an item that is not there.
 */
export function pageItems(
  items: readonly JsonObject[],
  { after, limit, order }: { after: string | undefined; limit: number; order: 'asc' | 'desc' },
): InputItemsDto {
  const sorted = order === 'asc' ? items : items.toReversed();
  const at = after === undefined ? -1 : sorted.findIndex(({ id }) => id === after);
  if (after !== undefined && at < 0) {
    throw badField('after', 'must be the id of an item of the same response');
  }
  const data = sorted.slice(at + 1, at + 1 + limit);
  const idOf = (item: JsonObject | undefined) =>
    typeof item?.['id'] === 'string' ? item['id'] : null;
  return {
    object: 'list',
    data,
    first_id: idOf(data[0]),
    last_id: idOf(data.at(-1)),
    has_more: at + 1 + limit < sorted.length,
  };
}
