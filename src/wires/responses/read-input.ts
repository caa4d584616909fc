import type { JsonObject } from '../../platform/json.js';
import type { WireMessage } from '../conversation/conversations.js';
import { checkAnswerCount } from '../../turn/approvals/validate-answer.js';
import { readItem, type ItemAnswer, type ReadItem } from './read-item.js';
import { badParam } from './responses-errors.js';

export type ReadInput =
  | { type: 'message'; message: WireMessage; kept: JsonObject[] }
  | { type: 'answers'; answers: ItemAnswer[] };

/**
 * Reads the input: a message of the user, or answers to what a response asked. Items before the last output of
 * the model are earlier conversation, of which the model gets a transcript. Pure.
 *
 * @throws TypedError INVALID_REQUEST 400.
 */
export function readInput(input: unknown, instructions: string | undefined): ReadInput {
  const items = itemsOf(input);
  const last = items.findLastIndex(({ kind }) => kind === 'output');
  const [earlier, fresh] = [items.slice(0, last + 1), items.slice(last + 1)];
  const answers = fresh.flatMap(({ answer }) => answer ?? []);
  checkAnswerCount(answers.length);
  if (answers.length > 0) {
    if (fresh.every(({ kind }) => kind === 'answer')) return { type: 'answers', answers };
    throw badParam(
      'input',
      'Answers and messages go in requests of their own: send the answers first.',
    );
  }
  const kept = items.map((item, index) => ({ id: `item_${index + 1}`, ...item.kept }));
  return { type: 'message', message: compose(earlier, fresh, instructions), kept };
}

function itemsOf(input: unknown): ReadItem[] {
  if (typeof input === 'string') return [readItem({ role: 'user', content: input }, 'input')];
  if (Array.isArray(input) && input.length > 0) {
    return (input as unknown[]).map((item, index) => readItem(item, `input[${index}]`));
  }
  throw badParam('input', "'input' must be a text, or a list of items that is not empty");
}

/** The message that the turn begins with; what the application says beside it comes before. */
function compose(
  earlier: readonly ReadItem[],
  fresh: readonly ReadItem[],
  instructions: string | undefined,
): WireMessage {
  const said = fresh.filter(({ kind }) => kind === 'message');
  const files = [...earlier, ...fresh].flatMap((item) => item.files);
  const text = said.flatMap((item) => item.text || []).join('\n\n');
  if (said.length === 0 || (text.trim() === '' && files.length === 0)) {
    throw badParam(
      'input',
      "'input' says nothing new: send a message of the user with text or a file",
    );
  }
  const notes = [...earlier, ...fresh].filter(({ kind }) => kind === 'note');
  const told = [instructions ?? '', ...notes.map((note) => note.text)].filter((one) => one !== '');
  const lines = earlier.filter(({ kind, line }) => kind !== 'note' && line !== '');
  const before = [
    ...(told.length === 0 ? [] : ['Instructions from the application:', ...told, '---']),
    ...(lines.length === 0
      ? []
      : ['The conversation so far:', ...lines.map(({ line }) => line), '---']),
  ];
  return { text: [...before, text].join('\n\n'), files };
}
