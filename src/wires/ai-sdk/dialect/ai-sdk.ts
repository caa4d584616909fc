import type { TurnEvent } from '../../../events/turn-event.js';
import { assertNever } from '../../../platform/assert-never.js';
import type { Dialect, Frame } from '../../framing/dialect.js';
import { followOutput } from '../../framing/output-progress.js';
import { followSegment } from '../../framing/segment.js';
import { growText, discardText } from '../../framing/sent-text.js';
import { encodeCall, encodeSpan, encodeSubagent } from './ai-sdk-call-events.js';
import { askedCalls, giveUpCalls, renameCall } from './ai-sdk-calls.js';
import type { AiSdkChunk, AiSdkIds, AiSdkMetadata, Of } from './ai-sdk-chunk.js';
import { describeContext, describeOutput, describeQueue } from './ai-sdk-data.js';
import { endChunks, parkChunks, questionChunks } from './ai-sdk-end.js';
import { aiSdkStart, type AiSdkRange, type AiSdkState } from './ai-sdk-state.js';
import { citeSource, closePart, closeStep, growPart, openStep } from './ai-sdk-step.js';

type Encoded = { state: AiSdkState; chunks: AiSdkChunk[] };

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
      const { state, chunks } = encodeAiSdk({ ...ids, ...range }, before, event);
      const { askedAgain } = state;
      const frames: Frame[] = chunks.map((chunk) => {
        if (askedAgain.size === 0) return { data: JSON.stringify(chunk) };
        const renamed = renameCall(chunk, (id) => askedAgain.has(id), suffixOf(ids));
        return { data: JSON.stringify(renamed) };
      });
      if (state.segment.phase === 'over') frames.push({ data: '[DONE]' });
      return { state, frames };
    },
  };
}

type Stream = AiSdkIds & AiSdkRange;

/** Encodes an event of the segment. Pure. */
function encodeAiSdk(stream: Stream, before: AiSdkState, event: TurnEvent): Encoded {
  const { segment, isIncluded } = followSegment(before.segment, event);
  const encoded = withOutput(encodeEvent(stream, { ...before, segment }, event), event);
  const begins = before.segment.phase === 'before' && segment.phase !== 'before';
  const isParked = segment.phase === 'over' && event.type !== 'turn.ended';
  if (begins) {
    const chunks = isParked ? questionChunks(encoded.state) : encoded.chunks;
    return beginAgain(stream, encoded.state, isIncluded ? chunks : []);
  }
  if (!isIncluded) return encodeAs(encoded.state);
  const chunks = isParked ? [...encoded.chunks, ...parkChunks(encoded.state)] : encoded.chunks;
  if (before.hasBegun) return encodeAs(encoded.state, ...chunks);
  return encodeAs({ ...encoded.state, hasBegun: true }, start(stream, encoded.state), ...chunks);
}

/** A later segment begins: parts that were open ended with the segment before. */
function beginAgain(stream: Stream, state: AiSdkState, chunks: AiSdkChunk[]): Encoded {
  const { step } = closePart(state.step);
  const askedAgain = suffixOf(stream) === '' ? state.askedAgain : askedCalls(state.calls);
  return encodeAs({ ...state, step, askedAgain, hasBegun: true }, start(stream, state), ...chunks);
}

/** The part of a message's id that the turn's own message does not have. */
function suffixOf({ messageId }: AiSdkIds): string {
  const at = messageId.indexOf(':');
  return at < 0 ? '' : messageId.slice(at);
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

function encodeEvent(stream: Stream, state: AiSdkState, event: TurnEvent): Encoded {
  switch (event.type) {
    case 'turn.queued':
      return encodeAs({ ...state, isQueued: true }, describeQueue(event.position));
    case 'turn.started':
      return begin(state, event);
    case 'turn.recovering': {
      const { attempt, reason } = event;
      return encodeAs(state, {
        type: 'data-recovering',
        id: logPosition(event),
        data: { attempt, reason },
      });
    }
    case 'step.started':
      return withStep(state, openStep(state.step, event.step));
    case 'thinking.delta':
      return withStep(state, growPart(state.step, 'reasoning', event.text));
    case 'text.delta': {
      const text = growText(state.text, event);
      return withStep({ ...state, text }, growPart(state.step, 'text', event.text));
    }
    case 'source.cited':
      return withStep(state, citeSource(state.step, event.source));
    case 'step.ended': {
      const closed = closeStep(state.step);
      const context = describeContext(event, state.started?.contextWindow);
      return withStep(state, { step: closed.step, chunks: [...closed.chunks, ...context] });
    }
    case 'step.discarded':
      return discardStep(state, event.step);
    case 'attachment.rejected': {
      const { name, reason, index } = event;
      return encodeAs(state, {
        type: 'data-attachment-rejected',
        id: logPosition(event),
        data: { name, reason, ...(index === undefined ? {} : { index }) },
      });
    }
    case 'notice.posted': {
      const { kind, level, text, metadata } = event;
      const data = { kind, level, text, metadata };
      return encodeAs(state, { type: 'data-notice', id: logPosition(event), data });
    }
    case 'message.joined': {
      const { messageId, afterStep, text } = event;
      return encodeAs(state, {
        type: 'data-joined',
        id: messageId,
        data: { messageId, afterStep, text },
      });
    }
    case 'turn.failed':
      return encodeAs({ ...state, failure: event });
    case 'turn.ended':
      return encodeAs(state, ...endChunks(state, event));
    case 'turn.parked':
      return encodeAs(state);
    case 'tool.requested':
    case 'tool.args.delta':
    case 'tool.started':
    case 'tool.progress':
    case 'tool.ended':
    case 'approval.requested':
    case 'approval.resolved':
      return encodeCall(stream, state, event);
    case 'subagent.told':
      return encodeSubagent(stream, state, event);
    case 'subagent.started':
    case 'subagent.ended':
      return encodeSpan(state, event);
    default:
      return assertNever(event);
  }
}

function withOutput({ state, chunks }: Encoded, event: TurnEvent): Encoded {
  const { progress: output, partial } = followOutput(state.output, event);
  if (output === state.output) return { state, chunks };
  const shown =
    partial === undefined ? [] : [describeOutput({ status: 'partial', output: partial.output })];
  return encodeAs({ ...state, output }, ...chunks, ...shown);
}

function begin(before: AiSdkState, event: Of<'turn.started'>): Encoded {
  const state = { ...before, started: event, isQueued: false };
  const left = before.isQueued ? [describeQueue(0)] : [];
  // Before `start`, no metadata is sent: `start` has it.
  if (!before.hasBegun) return encodeAs(state, ...left);
  const messageMetadata = describeStart(event);
  return encodeAs(state, ...left, { type: 'message-metadata', messageMetadata });
}

/**
 * The protocol has no word that takes parts back. The message's metadata names them; a part of its own
 * stands where they end.
 */
function discardStep(before: AiSdkState, step: number): Encoded {
  const closed = closeStep(before.step);
  const given = giveUpCalls(
    before.calls,
    'Not run: what asked for it was taken back.',
    (call) => call.step === step,
  );
  const partIds = before.step.step === step ? before.step.partIds : [];
  const discarded = [...before.discarded, ...partIds];
  const state = {
    ...before,
    step: { ...closed.step, partIds: [], hasCalls: false },
    calls: given.calls,
    text: discardText(before.text, step),
    discarded,
  };
  return encodeAs(
    state,
    ...closed.chunks,
    ...given.chunks,
    { type: 'data-discard', id: `${step}-${discarded.length}`, data: { step, partIds } },
    { type: 'message-metadata', messageMetadata: { discarded } },
  );
}

function withStep(
  state: AiSdkState,
  { step, chunks }: { step: AiSdkState['step']; chunks: AiSdkChunk[] },
): Encoded {
  return { state: step === state.step ? state : { ...state, step }, chunks };
}

/** An event's position in its log: the id of a part that has no id of its own. */
function logPosition({ attempt, seq }: TurnEvent): string {
  return `${attempt}.${seq}`;
}

function encodeAs(state: AiSdkState, ...chunks: AiSdkChunk[]): Encoded {
  return { state, chunks };
}
