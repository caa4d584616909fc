import type { UIMessage } from 'ai';
import { storedFileId, storedFileUrl } from '../../attachments/stored-files.js';
import type { TurnEvent } from '../../events/turn-event.js';
import type { StoredTurn } from '../../turn/state/stored-turn.js';
import type { TurnRow } from '../../turn/state/turn-row.js';
import type { ConversationTurn, SteeredMessage } from '../conversation/history.js';
import type { Frame } from '../framing/dialect.js';
import { askedFirst } from './dialect/ai-sdk-calls.js';
import type { AiSdkRange } from './dialect/ai-sdk.js';
import { foldFrames } from './fold-frames.js';
import { ofDialect } from './is-shown-whole.js';
import { turnWire, type StreamedTurn } from './turn-wire.js';
import { viewSteps } from './view-steps.js';

/**
 * The messages of a turn as its clients have them that read its stream: the user's, and their answers.
 * Messages of the user have their clients' ids.
 */
export async function viewTurn(whole: ConversationTurn): Promise<UIMessage[]> {
  const { stored, events, steered, decided: answered } = whole;
  const { turn } = stored;
  const asked = [viewUserMessage(stored), ...steered.map((one) => viewSteered(turn, one))];
  if (events === undefined) return [...asked, viewSteps(stored)];
  const ids = steered.map(({ id }) => id);
  const answers = await foldAnswers(turn, events, { steered: ids, answered });
  return asked.flatMap((message, index) => {
    const answer = answers[index];
    return answer === undefined ? [message] : [message, answer];
  });
}

/**
 * The answers of a turn, as its streams' clients fold them: to its own message, and to each that was steered
 * into it. An answer ends where the next one begins; undefined: it has not begun. Clients answer in their last
 * message: where a message came beside open questions, the questions are in the answer to it.
 */
export async function foldAnswers(
  turn: StreamedTurn,
  events: readonly TurnEvent[],
  { steered, answered }: { steered: readonly string[]; answered: readonly string[] },
): Promise<(UIMessage | undefined)[]> {
  const ends = steered.map((id) => findJoin(events, id));
  const answers: (UIMessage | undefined)[] = [];
  for (const [index, id] of ['', ...steered].entries()) {
    const from = id === '' ? 'turn' : { steered: id, asks: [] };
    answers.push(await foldTurn(turn, events.slice(0, ends[index]), { answered, from }));
  }
  const last = steered.at(-1);
  if (last === undefined || answers.at(-1) !== undefined) return answers;
  const asks = answers.flatMap((answer) => ofDialect(answer?.metadata).waitsFor ?? []);
  const asked = await foldTurn(turn, events, { answered, from: { steered: last, asks } });
  return asked === undefined ? answers : [...answers.slice(0, -1).map(without(asked)), asked];
}

/** A message without the calls, and their questions, that another one has. */
function without({ parts: others }: UIMessage) {
  const ids = new Set(others.flatMap((part) => idOf(part) ?? []));
  return (message: UIMessage | undefined): UIMessage | undefined =>
    message && { ...message, parts: message.parts.filter((part) => !ids.has(idOf(part) ?? '')) };
}

function idOf(part: UIMessage['parts'][number]): string | undefined {
  if ('toolCallId' in part) return askedFirst(part.toolCallId);
  return part.type === 'data-approval' ? askedFirst(part.id ?? '') : undefined;
}

/** Where the model got a steered message; undefined: not yet. */
function findJoin(events: readonly TurnEvent[], messageId: string): number | undefined {
  const index = events.findIndex(
    (event) => event.type === 'message.joined' && event.messageId === messageId,
  );
  return index < 0 ? undefined : index;
}

function foldTurn(
  turn: StreamedTurn,
  events: readonly TurnEvent[],
  range: Omit<AiSdkRange, 'clientTools'>,
): Promise<UIMessage | undefined> {
  const { initial, encode, isOver } = turnWire(turn, range);
  const frames: Frame[] = [];
  let state = initial;
  for (const event of events) {
    if (isOver?.(state) === true) break;
    const encoded = encode(state, event);
    state = encoded.state;
    frames.push(...encoded.frames);
  }
  return foldFrames(frames);
}

function viewUserMessage({ turn, userMessageId, userParts }: StoredTurn): UIMessage {
  const { message: text, clientMessageId: id = userMessageId } = turn.request;
  const files = userParts.flatMap((part, index) => {
    if (part.type !== 'file') return [];
    const { name: filename, mimeType: mediaType } = part.file;
    const url = storedFileUrl(storedFileId(turn.id, index));
    return [{ type: 'file' as const, mediaType, filename, url }];
  });
  const texts = text === '' ? [] : [{ type: 'text' as const, text }];
  return { id, role: 'user', metadata: describe(turn, turn), parts: [...texts, ...files] };
}

function viewSteered(turn: TurnRow, message: SteeredMessage): UIMessage {
  const { id, clientId, text } = message;
  const parts = [{ type: 'text' as const, text }];
  return { id: clientId ?? id, role: 'user', metadata: describe(turn, message), parts };
}

function describe({ id: turnId, sessionId }: TurnRow, { createdAt }: { createdAt: Date }) {
  return { sessionId, turnId, createdAt: createdAt.toISOString() };
}
