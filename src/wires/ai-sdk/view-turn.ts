import type { UIMessage } from 'ai';
import type { TurnEvent } from '../../events/turn-event.js';
import type { StoredTurn } from '../../turn/state/load-turn.js';
import type { TurnRow } from '../../turn/state/turn-lookup.js';
import type { ConversationTurn, SteeredMessage } from '../conversation/conversation-history.js';
import type { Frame } from '../framing/dialect.js';
import type { AiSdkRange } from './dialect/ai-sdk-state.js';
import { foldFrames } from './fold-frames.js';
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
 * into it. An answer ends where the next one begins; undefined: it has not begun.
 */
export async function foldAnswers(
  turn: StreamedTurn,
  events: readonly TurnEvent[],
  { steered, answered }: { steered: readonly string[]; answered: readonly string[] },
): Promise<(UIMessage | undefined)[]> {
  const ends = steered.map((id) => findJoin(events, id));
  const begins = ['turn' as const, ...steered.map((id) => ({ steered: id }))];
  const answers: (UIMessage | undefined)[] = [];
  for (const [index, from] of begins.entries()) {
    answers.push(await foldTurn(turn, events.slice(0, ends[index]), { answered, from }));
  }
  return answers;
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
  const files = userParts.flatMap((part) => {
    if (part.type !== 'file') return [];
    const { name, mimeType, size } = part.file;
    return [{ type: 'data-file' as const, data: { name, mimeType, size } }];
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
