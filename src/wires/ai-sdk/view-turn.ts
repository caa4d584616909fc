import type { UIMessage, UIMessageChunk } from 'ai';
import { storedFileId, storedFileUrl } from '../../attachments/face.js';
import type { TurnEvent } from '../../events/face.js';
import {
  assistantMessageId,
  type MessagePart,
  type StoredTurn,
  type TurnRow,
  viewMessages,
} from '../../turn/face.js';
import { type Frame, TurnEncoder } from '../framing/face.js';
import { originalId } from './dialect/ai-sdk-calls.js';
import { type AiSdkRange, aiSdkDialect } from './dialect/ai-sdk.js';
import type { AiSdkVersion } from './dialect/ai-sdk-version.js';

/** A message that was steered into a turn. */
interface SteeredMessage {
  id: string;
  clientId: string | null;
  text: string;
  createdAt: Date;
}

/** A turn with all that a wire's view of it is made of. */
export interface ConversationTurn {
  stored: StoredTurn;
  /** Its events so far; undefined: they are kept no longer. */
  events: readonly TurnEvent[] | undefined;
  /** In order; those that the model does not have yet, last. */
  steered: readonly SteeredMessage[];
  /** Ids of approvals that it does not wait for. */
  decided: readonly string[];
}

/** A turn, as far as it is known from it whether it goes on. */
interface LoadedTurn extends Pick<ConversationTurn, 'events'> {
  stored: { turn: Pick<TurnRow, 'id' | 'status' | 'endedAt'> };
}

/**
 * The messages of a turn as its clients have them that read its stream: the user's, and their answers.
 * Messages of the user have their clients' ids.
 */
export async function viewTurn(
  whole: ConversationTurn,
  version: AiSdkVersion,
): Promise<UIMessage[]> {
  const { stored, events, steered, decided: answered } = whole;
  const { turn } = stored;
  const asked = [viewUserMessage(stored), ...steered.map((one) => viewSteered(turn, one))];
  if (events === undefined) return [...asked, viewSteps(stored)];
  const ids = steered.map(({ id }) => id);
  const answers = await foldAnswers(turn, events, { steered: ids, answered, version });
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
  { steered, ...range }: Pick<AiSdkRange, 'answered' | 'version'> & { steered: readonly string[] },
): Promise<(UIMessage | undefined)[]> {
  const ends = steered.map((id) => findJoin(events, id));
  const answers: (UIMessage | undefined)[] = [];
  for (const [index, id] of ['', ...steered].entries()) {
    const from = id === '' ? 'turn' : { steered: id, asks: [] };
    answers.push(await foldTurn(turn, events.slice(0, ends[index]), { ...range, from }));
  }
  const last = steered.at(-1);
  if (last === undefined || answers.at(-1) !== undefined) return answers;
  const asks = answers.flatMap((answer) => ofDialect(answer?.metadata).waitsFor ?? []);
  const asked = await foldTurn(turn, events, { ...range, from: { steered: last, asks } });
  return asked === undefined ? answers : [...answers.slice(0, -1).map(without(asked)), asked];
}

/** A message without the calls, and their questions, that another one has. */
function without({ parts: others }: UIMessage) {
  const ids = new Set(others.flatMap((part) => idOf(part) ?? []));
  return (message: UIMessage | undefined): UIMessage | undefined =>
    message && { ...message, parts: message.parts.filter((part) => !ids.has(idOf(part) ?? '')) };
}

function idOf(part: UIMessage['parts'][number]): string | undefined {
  if ('toolCallId' in part) return originalId(part.toolCallId);
  return part.type === 'data-approval' ? originalId(part.id ?? '') : undefined;
}

/** Where the model got a steered message; undefined: not yet. */
function findJoin(events: readonly TurnEvent[], messageId: string): number | undefined {
  const index = events.findIndex(
    (event) => event.type === 'message.joined' && event.messageId === messageId,
  );
  return index < 0 ? undefined : index;
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

/** A turn as its streams need it. */
export type StreamedTurn = Pick<TurnRow, 'id' | 'sessionId' | 'options'>;

/**
 * The dialect of a turn's stream. A message that was steered into the turn has an answer of its own.
 *
 * @param answeredIn id of the message with the answers that the stream follows. Default: the turn's own.
 */
export function turnWire(
  { id: turnId, sessionId, options }: StreamedTurn,
  range: Omit<AiSdkRange, 'clientTools'>,
  answeredIn = '',
) {
  const clientTools = (options.options.clientTools ?? []).map(({ name }) => name);
  const own = assistantMessageId(turnId);
  const { from } = range;
  const goesOn = answeredIn.startsWith(`${own}:`) ? answeredIn : own;
  const messageId = typeof from === 'string' ? goesOn : `${own}:${from.steered}`;
  return aiSdkDialect({ sessionId, turnId, messageId }, { ...range, clientTools });
}

/**
 * The message that clients make of a turn's stream, by the package's own fold: that of major 7, which makes the same of
 * a stream for 6 as 6 does.
 *
 * @returns undefined for a stream that begins no message.
 */
async function foldTurn(
  turn: StreamedTurn,
  events: readonly TurnEvent[],
  range: Omit<AiSdkRange, 'clientTools'>,
): Promise<UIMessage | undefined> {
  const encoder = new TurnEncoder(turnWire(turn, range), turn.id);
  const chunks = mergeDeltas(events.flatMap((event) => encoder.encode(event)));
  if (chunks.length === 0) return undefined;
  const { createUIMessageStream } = await import('ai');
  const folded: UIMessage[] = [];
  const stream = createUIMessageStream({
    execute: ({ writer }) => chunks.forEach((chunk) => writer.write(chunk)),
    onEnd: ({ responseMessage }) => void folded.push(responseMessage),
  });
  // The message is whole once the stream was read.
  await stream.pipeTo(new WritableStream());
  return folded[0];
}

/** Makes one delta of those that follow on each other: the fold costs as much for each as for all. */
function mergeDeltas(frames: readonly Frame[]): UIMessageChunk[] {
  const chunks: UIMessageChunk[] = [];
  for (const { data } of frames) {
    if (data === '[DONE]') continue;
    // The dialect wrote it.
    const chunk = JSON.parse(data) as UIMessageChunk;
    const last = chunks.at(-1);
    const merged = last === undefined ? undefined : merge(last, chunk);
    if (merged === undefined) chunks.push(chunk);
    else chunks.splice(-1, 1, merged);
  }
  return chunks;
}

function merge(a: UIMessageChunk, b: UIMessageChunk): UIMessageChunk | undefined {
  if (a.type === 'tool-input-delta' && b.type === 'tool-input-delta') {
    const inputTextDelta = a.inputTextDelta + b.inputTextDelta;
    return a.toolCallId === b.toolCallId ? { ...a, inputTextDelta } : undefined;
  }
  const isText = a.type === 'text-delta' && b.type === 'text-delta';
  const isThought = a.type === 'reasoning-delta' && b.type === 'reasoning-delta';
  if (!(isText || isThought) || a.id !== b.id) return undefined;
  return { ...a, delta: a.delta + b.delta };
}

/**
 * Whether the messages have all that the stream of an open turn would send: the turn waits for approvals. A stream makes
 * the message anew, and would undo an answer that a person gives while it comes. Tools of the client need the stream,
 * which calls them. Pure.
 *
 * @param messages as the dialect's frames were folded.
 */
export function isShownWhole(messages: readonly UIMessage[], turnId: string): boolean {
  const answer = messages.findLast(
    ({ role, metadata }) => role === 'assistant' && ofDialect(metadata).turnId === turnId,
  );
  if (answer === undefined) return false;
  const { waitsFor = [] } = ofDialect(answer.metadata);
  return waitsFor.length > 0 && !answer.parts.some(isCallOfClient);
}

/**
 * The turn of a page whose messages may have more to come: the active one before those that are held. A turn that was
 * open when it was loaded has its end in its events, or has more of them than the page. Pure.
 */
export function findUnended(turns: readonly LoadedTurn[]): string | undefined {
  const unended = turns.filter(
    ({ stored, events = [] }) =>
      stored.turn.endedAt === null && !events.some(({ type }) => type === 'turn.ended'),
  );
  const active = unended.find(({ stored }) => stored.turn.status !== 'held');
  return (active ?? unended[0])?.stored.turn.id;
}

/** The metadata of a message of the dialect, as far as its views need it. */
function ofDialect(metadata: unknown): { turnId?: string; waitsFor?: readonly string[] } {
  return metadata ?? {};
}

function isCallOfClient(part: UIMessage['parts'][number]): boolean {
  return part.type.startsWith('tool-') && 'state' in part && part.state === 'input-available';
}

type Part = UIMessage['parts'][number];

/** The answer of an ended turn whose events are kept no longer: texts, thinking and calls of its steps. Pure. */
function viewSteps(stored: StoredTurn): UIMessage {
  const { turn } = stored;
  const { status: outcome, endReason: reason, usage, sessionId, id: turnId, startedAt } = turn;
  const { persona: agent, model } = turn.options.options;
  const createdAt = startedAt?.toISOString();
  const answer = viewMessages([stored]).find(({ role }) => role === 'assistant');
  return {
    id: assistantMessageId(turnId),
    role: 'assistant',
    metadata: { sessionId, turnId, agent, model, createdAt, outcome, reason, usage },
    parts: answer?.parts.flatMap(viewPart) ?? [],
  };
}

function viewPart(part: MessagePart): Part[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text, state: 'done' }];
    case 'thinking':
      return [{ type: 'reasoning', text: part.text, state: 'done' }];
    case 'tool': {
      const { toolUseId: toolCallId, name: toolName, input, status, output } = part;
      const call = {
        type: 'dynamic-tool',
        toolName,
        toolCallId,
        input,
        providerExecuted: true,
      } as const;
      return status === 'success'
        ? [{ ...call, state: 'output-available', output }]
        : [{ ...call, state: 'output-error', errorText: output ?? status }];
    }
    case 'file':
      return [];
  }
}
