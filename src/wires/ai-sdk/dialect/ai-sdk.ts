import type { TurnEvent } from '../../../events/turn-event.js';
import { assertNever } from '../../../platform/assert-never.js';
import type { Dialect, Frame } from '../../framing/dialect.js';
import { followSegment } from '../../framing/segment.js';
import { tellOfCall, tellOfSpan, tellOfSubagent } from './ai-sdk-call-events.js';
import { giveUpCalls } from './ai-sdk-calls.js';
import type { AiSdkChunk, AiSdkIds, AiSdkMetadata, Of } from './ai-sdk-chunk.js';
import { describeContext, describeQueue } from './ai-sdk-data.js';
import { endChunks, parkChunks } from './ai-sdk-end.js';
import { aiSdkStart, type AiSdkRange, type AiSdkState } from './ai-sdk-state.js';
import { citeSource, closePart, closeStep, growPart, openStep } from './ai-sdk-step.js';
import { growText, discardText } from '../../framing/said-text.js';

type Told = { state: AiSdkState; chunks: AiSdkChunk[] };

/**
 * The UI message stream of the AI SDK, version 1: frames without a name, each one chunk of JSON, the
 * last one `[DONE]`. A stream is one segment of the turn: where the turn waits for its client, it
 * ends with `finish`, and the segment after the answers goes on with the same message.
 */
export function aiSdkDialect(ids: AiSdkIds, range: AiSdkRange): Dialect<AiSdkState> {
  return {
    name: 'ai-sdk',
    initial: aiSdkStart(range),
    isOver: ({ segment }) => segment.phase === 'over',
    encode: (before, event) => {
      const { state, chunks } = tellAiSdk({ ...ids, ...range }, before, event);
      const frames: Frame[] = chunks.map((chunk) => ({ data: JSON.stringify(chunk) }));
      if (state.segment.phase === 'over') frames.push({ data: '[DONE]' });
      return { state, frames };
    },
  };
}

type Stream = AiSdkIds & AiSdkRange;

/** Encodes an event of the segment. Pure. */
function tellAiSdk(stream: Stream, before: AiSdkState, event: TurnEvent): Told {
  const { segment, isSaid } = followSegment(before.segment, event);
  const told = tell(stream, { ...before, segment }, event);
  const begins = before.segment.phase === 'before' && segment.phase !== 'before';
  if (begins) return beginAgain(stream, told.state, isSaid ? told.chunks : []);
  if (!isSaid) return say(told.state);
  const isParked = segment.phase === 'over' && event.type !== 'turn.ended';
  const chunks = isParked ? [...told.chunks, ...parkChunks(told.state)] : told.chunks;
  if (before.hasBegun) return say(told.state, ...chunks);
  return say({ ...told.state, hasBegun: true }, start(stream, told.state), ...chunks);
}

/** A later segment begins. What still grew at the end of the one before was ended with it. */
function beginAgain(stream: Stream, state: AiSdkState, chunks: AiSdkChunk[]): Told {
  const { step } = closePart(state.step);
  return say({ ...state, step, hasBegun: true }, start(stream, state), ...chunks);
}

function start(ids: AiSdkIds, { started }: AiSdkState): AiSdkChunk {
  const { sessionId, turnId, messageId } = ids;
  const messageMetadata = { sessionId, turnId, ...describeStart(started) };
  return { type: 'start', messageId, messageMetadata };
}

function describeStart(started: Of<'turn.started'> | undefined): AiSdkMetadata {
  if (started === undefined) return {};
  return { agent: started.agent, model: started.model, createdAt: started.at };
}

function tell(stream: Stream, state: AiSdkState, event: TurnEvent): Told {
  switch (event.type) {
    case 'turn.queued':
      return say({ ...state, isQueued: true }, describeQueue(event.position));
    case 'turn.started':
      return begin(state, event);
    case 'turn.recovering': {
      const { attempt, reason } = event;
      return say(state, { type: 'data-recovering', id: place(event), data: { attempt, reason } });
    }
    case 'step.started':
      return sayOfStep(state, openStep(state.step, event.step));
    case 'thinking.delta':
      return sayOfStep(state, growPart(state.step, 'reasoning', event.text));
    case 'text.delta': {
      const text = growText(state.text, event);
      return sayOfStep({ ...state, text }, growPart(state.step, 'text', event.text));
    }
    case 'source.cited':
      return sayOfStep(state, citeSource(state.step, event.source));
    case 'step.ended': {
      const closed = closeStep(state.step);
      const context = describeContext(event, state.started?.contextWindow);
      return sayOfStep(state, { step: closed.step, chunks: [...closed.chunks, ...context] });
    }
    case 'step.discarded':
      return discardStep(state, event.step);
    case 'attachment.rejected': {
      const { name, reason, index } = event;
      return say(state, {
        type: 'data-attachment-rejected',
        id: place(event),
        data: { name, reason, ...(index === undefined ? {} : { index }) },
      });
    }
    case 'notice.posted': {
      const { kind, level, text, metadata } = event;
      const data = { kind, level, text, metadata };
      return say(state, { type: 'data-notice', id: place(event), data });
    }
    case 'message.joined': {
      const { messageId, afterStep, text } = event;
      return say(state, {
        type: 'data-joined',
        id: messageId,
        data: { messageId, afterStep, text },
      });
    }
    case 'turn.failed':
      return say({ ...state, failure: event });
    case 'turn.ended':
      return say(state, ...endChunks(state, event));
    case 'turn.parked':
      return say(state);
    case 'tool.requested':
    case 'tool.args.delta':
    case 'tool.started':
    case 'tool.progress':
    case 'tool.ended':
    case 'approval.requested':
    case 'approval.resolved':
      return tellOfCall(stream, state, event);
    case 'subagent.told':
      return tellOfSubagent(stream, state, event);
    case 'subagent.started':
    case 'subagent.ended':
      return tellOfSpan(state, event);
    default:
      return assertNever(event);
  }
}

function begin(before: AiSdkState, event: Of<'turn.started'>): Told {
  const state = { ...before, started: event, isQueued: false };
  const left = before.isQueued ? [describeQueue(0)] : [];
  // Otherwise `start` has it.
  if (!before.hasBegun) return say(state, ...left);
  const messageMetadata = describeStart(event);
  return say(state, ...left, { type: 'message-metadata', messageMetadata });
}

/**
 * The protocol has no word that takes parts back. The message's metadata names them; a part of its own
 * stands where they end.
 */
function discardStep(before: AiSdkState, step: number): Told {
  const closed = closeStep(before.step);
  const given = giveUpCalls(
    before.calls,
    'Not run: what asked for it was taken back.',
    (call) => call.step === step,
  );
  const partIds = before.step.step === step ? before.step.said : [];
  const discarded = [...before.discarded, ...partIds];
  const state = {
    ...before,
    step: { ...closed.step, said: [], hasCalls: false },
    calls: given.calls,
    text: discardText(before.text, step),
    discarded,
  };
  return say(
    state,
    ...closed.chunks,
    ...given.chunks,
    { type: 'data-discard', id: `${step}-${discarded.length}`, data: { step, partIds } },
    { type: 'message-metadata', messageMetadata: { discarded } },
  );
}

function sayOfStep(
  state: AiSdkState,
  { step, chunks }: { step: AiSdkState['step']; chunks: AiSdkChunk[] },
): Told {
  return { state: step === state.step ? state : { ...state, step }, chunks };
}

/** An event's place in its log: an id for what has none. */
function place({ attempt, seq }: TurnEvent): string {
  return `${attempt}.${seq}`;
}

function say(state: AiSdkState, ...chunks: AiSdkChunk[]): Told {
  return { state, chunks };
}
