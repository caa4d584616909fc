import type { EventOf, TurnEvent } from '../../../events/face.js';
import {
  type Announcement,
  applyByType,
  type ByType,
  type Dialect,
  followTurn,
  type Frame,
  openSegment,
  type Part,
  startView,
  type TurnChange,
  type TurnView,
} from '../../framing/face.js';
import {
  abandonCall,
  askAgain,
  askAboutCall,
  askedCalls,
  endCall,
  renameCall,
  requestCall,
  startCall,
  tellAnswer,
  beginSubagent,
  endSubagent,
  followSubagent,
  type AiSdkSubagents,
} from './ai-sdk-calls.js';
import {
  announce,
  citeSource,
  describeCitation,
  describeContext,
  describeDecision,
  describeJoin,
  describeOutcome,
  describeOutput,
  describeQueue,
  describeSteering,
  type AiSdkChunk,
  type AiSdkIds,
  type AiSdkMetadata,
  type Citation,
} from './ai-sdk-frames.js';
import { cursorPrefix, type AiSdkVersion } from './ai-sdk-version.js';
import { addSent, nothingSent, resetStep, type SentParts } from './sent-parts.js';

/** The part of a turn that a stream sends. */
export interface AiSdkRange {
  /** Approvals that were answered before the stream, which does not end where the turn waited for them. */
  answered: readonly string[];
  /**
   * The start of the stream. `answers`: after the turn waited for these approvals. `steered`: with that
   * message, or with the questions that the turn waits for before it has the message: `asks`. `turn`: at
   * the turn's start, whatever was answered, as a returning client builds its message anew from `start`.
   */
  from: 'turn' | 'answers' | { steered: string; asks: readonly string[] };
  /** Names of the tools that the client runs. */
  clientTools: readonly string[];
  version: AiSdkVersion;
}

/** The view of the turn, and what chunks need beside it. */
export interface AiSdkState {
  view: TurnView;
  isQueued: boolean;
  /** Ids of the parts and calls of the last step. */
  partIds: readonly string[];
  /** Whether the last step has calls. */
  hasCalls: boolean;
  /** Ids of parts that were taken back. */
  discarded: readonly string[];
  /** Calls of an earlier message whose questions this one asks again. */
  askedAgain: ReadonlySet<string>;
  subagents: AiSdkSubagents;
  /** Sources since the last text of the step, which its next text's end names. */
  citations: readonly Citation[];
  /** Followed for major 7 alone. */
  sent: SentParts;
}

type Stream = AiSdkIds & AiSdkRange;
type Encoded = { state: AiSdkState; chunks: AiSdkChunk[] };

/**
 * The UI message stream of the AI SDK, version 1: frames without a name, each one chunk of JSON, the
 * last one `[DONE]`. A stream is one segment of the turn: where the turn waits for its client, it
 * ends with `finish`, and the segment after the answers goes on with the same message.
 */
export function aiSdkDialect(ids: AiSdkIds, range: AiSdkRange): Dialect<AiSdkState> {
  const isOver = ({ view }: AiSdkState): boolean => view.segment?.phase === 'over';
  return {
    name: 'ai-sdk',
    initial: {
      view: startView(segmentOf(range)),
      isQueued: false,
      partIds: [],
      hasCalls: false,
      discarded: [],
      askedAgain: new Set(),
      subagents: new Map(),
      citations: [],
      sent: nothingSent,
    },
    cursorPrefix: cursorPrefix(range.version),
    isOver,
    encode: (before, event) => {
      const { state, chunks } = encodeAiSdk({ ...ids, ...range }, before, event);
      const frames: Frame[] = chunks.map((chunk) => {
        if (state.askedAgain.size === 0) return { data: JSON.stringify(chunk) };
        return { data: JSON.stringify(renameCall(chunk, state, suffixOf(ids))) };
      });
      if (isOver(state)) frames.push({ data: '[DONE]' });
      return { state, frames };
    },
  };
}

function segmentOf({ answered, from }: AiSdkRange) {
  if (from === 'turn') return openSegment(answered, 'pause', []);
  if (from === 'answers') return openSegment(answered, 'pause');
  return openSegment(answered, 'question', [from.steered, ...from.asks]);
}

/** Encodes an event of the segment. Pure. */
function encodeAiSdk(stream: Stream, before: AiSdkState, event: TurnEvent): Encoded {
  const { view, changes, isIncluded, begins } = followTurn(before.view, event);
  let state: AiSdkState = { ...before, view };
  const chunks: AiSdkChunk[] = [];
  for (const change of changes) {
    const encoded = encodeChange(stream, state, change, begins);
    ({ state } = encoded);
    chunks.push(...encoded.chunks);
  }
  if (stream.version !== '6') {
    // A message that begins within the turn has nothing of what was sent before.
    const before = begins && suffixOf(stream) !== '' ? nothingSent : state.sent;
    state = { ...state, sent: addSent(before, chunks, view.turn.step) };
  }
  if (!begins) return encodeAs(state, ...(isIncluded ? chunks : []));
  const begun = startChunk(stream, view);
  if (before.view.segment?.phase !== 'before') return encodeAs(state, begun, ...chunks);
  if (suffixOf(stream) !== '') state = { ...state, askedAgain: askedCalls(view) };
  if (!isIncluded) return encodeAs(state, begun);
  // A message that came beside the questions of its turn: they are asked again in it, and that is all of it.
  const isParked = view.segment?.phase === 'over' && event.type !== 'turn.ended';
  return encodeAs(
    state,
    begun,
    ...(isParked ? [...askAgain(stream, view), waitChunk(view)] : chunks),
  );
}

/** The part of a message's id that the turn's own message does not have. */
function suffixOf({ messageId }: AiSdkIds): string {
  const at = messageId.indexOf(':');
  return at < 0 ? '' : messageId.slice(at);
}

function startChunk({ sessionId, turnId, messageId }: AiSdkIds, { turn }: TurnView): AiSdkChunk {
  const messageMetadata = { sessionId, turnId, ...describeStart(turn.started) };
  return { type: 'start', messageId, messageMetadata };
}

function describeStart(started: EventOf<'turn.started'> | undefined): AiSdkMetadata {
  if (started === undefined) return {};
  return { agent: started.agent, model: started.model, createdAt: started.at };
}

function waitChunk({ segment }: TurnView): AiSdkChunk {
  const messageMetadata = { waitsFor: segment?.waitsFor ?? [] };
  return { type: 'finish', finishReason: 'tool-calls', messageMetadata };
}

/**
 * A subagent is one part that shows how far it is. Its questions are answered like the turn's own: a call
 * that asks is shown in the message, from its question to its result.
 */
function isShown(change: TurnChange): boolean {
  if (change.owner === undefined || shownOfSubagents.has(change.type)) return true;
  return 'call' in change && change.call?.question !== undefined;
}

const shownOfSubagents = new Set<TurnChange['type']>([
  'subagent.started',
  'subagent.told',
  'subagent.ended',
  'question.asked',
]);

function encodeChange(
  stream: Stream,
  state: AiSdkState,
  change: TurnChange,
  begins: boolean,
): Encoded {
  if (!isShown(change)) return encodeAs(state);
  return applyByType(chunksByType, change, stream, state, begins);
}

/** The protocol has no word for it. */
const wordless = (_change: TurnChange, _stream: Stream, state: AiSdkState): Encoded =>
  encodeAs(state);

/** The chunks of each change of the turn's view. */
const chunksByType: ByType<TurnChange, [Stream, AiSdkState, boolean], Encoded> = {
  announced: ({ event }, stream, state) => encodeAnnouncement(stream, state, event),
  started: ({ event }, _stream, state, begins) => start(state, event, begins),
  'step.opened': (_change, _stream, state) =>
    encodeAs({ ...state, partIds: [], hasCalls: false, citations: [] }, { type: 'start-step' }),
  'step.closed': (_change, _stream, state) => encodeAs(state, { type: 'finish-step' }),
  'step.ended': ({ event }, _stream, state) =>
    encodeAs(state, ...describeContext(event, state.view.turn.started?.contextWindow)),
  'part.opened': ({ part }, _stream, state) => {
    const id = partId(part);
    const providerMetadata = { turnpike: { id } };
    const type = `${partTypes[part.kind]}-start` as const;
    return encodeAs(notePart(state, id), { type, id, providerMetadata });
  },
  'part.grown': ({ part, text: delta }, _stream, state) =>
    encodeAs(state, { type: `${partTypes[part.kind]}-delta`, id: partId(part), delta }),
  'part.closed': ({ part }, stream, state) => closePart(stream, state, part),
  'source.cited': ({ event, number }, _stream, state) => {
    const chunk = citeSource(event, number);
    const citations = [...state.citations, describeCitation(chunk, event)];
    return encodeAs({ ...notePart(state, chunk.sourceId), citations }, chunk);
  },
  'call.requested': ({ call }, stream, state) =>
    encodeAs(noteCall(state, call.key), requestCall(stream, call)),
  'call.grown': ({ call, json: inputTextDelta }, _stream, state) =>
    encodeAs(state, { type: 'tool-input-delta', toolCallId: call.key, inputTextDelta }),
  'call.started': (change, stream, state) => encodeAs(state, ...startCall(stream, change)),
  'call.ended': (change, stream, state) => encodeAs(state, ...endCall(stream, change)),
  'call.abandoned': (change, stream, state) =>
    encodeAs(state, ...abandonCall(stream, state.view, change)),
  'question.asked': ({ owner, call, event }, stream, state) => {
    const noted = owner === undefined ? state : noteCall(state, call.key);
    return encodeAs(noted, ...askAboutCall(stream, call.key, event));
  },
  'question.answered': (change, stream, state) =>
    encodeAs(
      state,
      ...tellAnswer(stream, state.sent.requested, change),
      describeDecision(change.call?.key ?? change.event.callId, change.event),
    ),
  'subagent.started': ({ event }, _stream, state) =>
    withSubagents(state, beginSubagent(state.subagents, event)),
  'subagent.told': ({ event }, _stream, state) =>
    withSubagents(state, followSubagent(state.subagents, event)),
  'subagent.ended': ({ event }, _stream, state) =>
    withSubagents(state, endSubagent(state.subagents, event)),
  'output.grown': ({ partial: { output } }, _stream, state) =>
    encodeAs(state, describeOutput({ status: 'partial', output })),
  discarded: ({ step }, stream, state) => discardStep(stream, state, step),
  parked: (_change, _stream, state) => encodeAs(state, waitChunk(state.view)),
  ended: (change, _stream, state) => encodeAs(state, ...endTurn(state, change)),
  'input.opened': wordless,
  'input.closed': wordless,
  'subagent.closed': wordless,
};

function encodeAnnouncement(stream: Stream, state: AiSdkState, event: Announcement): Encoded {
  if (event.type === 'turn.queued') {
    return encodeAs({ ...state, isQueued: true }, describeQueue(event.position, event.reason));
  }
  if (event.type !== 'message.joined') return encodeAs(state, announce(event));
  // The page has the message itself, where the stream is the answer to it.
  const isOwn = suffixOf(stream) === `:${event.messageId}`;
  const isSteering = stream.version === '7-steering' && !isOwn;
  return encodeAs(state, isSteering ? describeSteering(event) : describeJoin(event));
}

function start(before: AiSdkState, event: EventOf<'turn.started'>, begins: boolean): Encoded {
  const state = { ...before, isQueued: false };
  const left = before.isQueued ? [describeQueue(0)] : [];
  // The stream's own start has the metadata.
  if (begins) return encodeAs(state, ...left);
  return encodeAs(state, ...left, {
    type: 'message-metadata',
    messageMetadata: describeStart(event),
  });
}

const partTypes = { text: 'text', thinking: 'reasoning' } as const;

function partId({ kind, step, number }: Part): string {
  return `${partTypes[kind]}-${step}-${number}`;
}

function notePart(state: AiSdkState, id: string): AiSdkState {
  return { ...state, partIds: [...state.partIds, id] };
}

function noteCall(state: AiSdkState, id: string): AiSdkState {
  return { ...notePart(state, id), hasCalls: true };
}

function closePart({ version }: Stream, state: AiSdkState, part: Part): Encoded {
  const id = partId(part);
  if (part.kind === 'thinking') return encodeAs(state, { type: 'reasoning-end', id });
  const { citations } = state;
  const isCited = version !== '6' && citations.length > 0;
  return encodeAs(
    { ...state, citations: [] },
    { type: 'text-end', id, ...(isCited && { citations }) },
  );
}

/**
 * Takes a step's parts back, and names them in the message's metadata. Major 6 has no word for it: a part of its own
 * stands where they end.
 */
function discardStep({ version }: Stream, before: AiSdkState, step: number): Encoded {
  const partIds = before.view.turn.step === step ? before.partIds : [];
  const discarded = [...before.discarded, ...partIds];
  const id = `${step}-${discarded.length}`;
  const taken: AiSdkChunk[] =
    version === '6'
      ? [{ type: 'data-discard', id, data: { step, partIds } }]
      : resetStep(before.sent, step);
  return encodeAs({ ...before, partIds: [], hasCalls: false, discarded, citations: [] }, ...taken, {
    type: 'message-metadata',
    messageMetadata: { discarded },
  });
}

/** The last chunks of a turn, after those of what it had open. */
function endTurn(
  { view, hasCalls }: AiSdkState,
  { event, unsent }: { event: EventOf<'turn.ended'>; unsent: string },
): AiSdkChunk[] {
  const { output } = event;
  return [
    ...lastStep(view.turn.step + 1, unsent, hasCalls),
    ...(output === undefined ? [] : [describeOutput({ status: 'final', output })]),
    ...describeOutcome(view.turn.failure, event),
  ];
}

/**
 * A note on a limit was not streamed: it gets a step of its own. So does an end right after calls,
 * without a word in it: the helpers that send a message once the calls of its last step are
 * complete would otherwise send it again, and again.
 */
function lastStep(step: number, unsent: string, hasCalls: boolean): AiSdkChunk[] {
  if (unsent === '' && !hasCalls) return [];
  const id = partId({ kind: 'text', step, number: 1 });
  const text: AiSdkChunk[] = [
    { type: 'text-start', id, providerMetadata: { turnpike: { id } } },
    { type: 'text-delta', id, delta: unsent },
    { type: 'text-end', id },
  ];
  return [{ type: 'start-step' }, ...(unsent === '' ? [] : text), { type: 'finish-step' }];
}

function withSubagents(
  state: AiSdkState,
  { subagents, chunks }: { subagents: AiSdkSubagents; chunks: AiSdkChunk[] },
): Encoded {
  return { state: subagents === state.subagents ? state : { ...state, subagents }, chunks };
}

function encodeAs(state: AiSdkState, ...chunks: AiSdkChunk[]): Encoded {
  return { state, chunks };
}
