import type { EventOf, TurnEvent } from '../../../events/turn-event.js';
import { assertNever } from '../../../platform/assert-never.js';
import { retryAdvice } from '../../../platform/retry-advice.js';
import type { Dialect, Frame } from '../../framing/dialect.js';
import { followOutput, type OutputProgress } from '../../framing/output-progress.js';
import type { AnswerFold } from '../../framing/dialect.js';
import { compact } from '../../../platform/compact.js';
import type { JsonObject } from '../../../platform/json.js';
import type { HarnessFrameName, HarnessFrames, Relayed } from './harness-frames.js';

interface HarnessState {
  /** A fatal error comes again in the exit frame. */
  failure?: EventOf<'turn.failed'>;
  output?: OutputProgress;
}

/**
 * The harness wire (contract: harness API, sections 3.4 and 11): eight event names of old, and
 * additive ones that old clients ignore. `process:exit` is always the last frame.
 */
export const harnessDialect: Dialect<HarnessState> = {
  name: 'harness',
  initial: {},
  encode: (state, event) => {
    const frames = framesOf(state, event);
    if (event.type === 'turn.failed') return { state: { ...state, failure: event }, frames };
    const { progress, partial } = followOutput(state.output, event);
    return {
      state: progress === state.output ? state : { ...state, output: progress },
      frames: partial === undefined ? frames : [...frames, frame('output:partial', partial)],
    };
  },
};

function framesOf(state: HarnessState, event: TurnEvent): Frame[] {
  switch (event.type) {
    case 'turn.queued':
      return [frame('turn:queued', compact({ position: event.position, reason: event.reason }))];
    case 'turn.started':
      return [frame('session:init', started(event))];
    case 'turn.recovering':
      return [frame('turn:recovering', { reason: event.reason, attempt: event.attempt })];
    case 'step.started':
      return [frame('step:start', { step: event.step })];
    case 'step.discarded':
      return [frame('step:discard', { step: event.step })];
    case 'step.ended':
      return [frame('step:end', pick(event, ['step', 'stopReason', 'usage']))];
    case 'thinking.delta':
      return [frame('thinking:delta', { text: event.text, step: event.step })];
    case 'text.delta':
      return [frame('chat:delta', { text: event.text, step: event.step })];
    case 'source.cited':
      return [frame('source', { step: event.step, ...event.source })];
    case 'tool.requested':
      return [
        frame('tool:request', {
          toolUseId: event.callId,
          name: event.name,
          step: event.step,
          ...(event.by === undefined ? {} : { by: event.by }),
        }),
      ];
    case 'tool.args.delta':
      return [frame('tool:args', { toolUseId: event.callId, json: event.json })];
    case 'tool.started':
      return [
        frame('tool:start', { toolUseId: event.callId, name: event.name, input: event.input }),
      ];
    case 'tool.progress': {
      const { callId, note, elapsedMs } = event;
      return [frame('tool:progress', { toolUseId: callId, note, elapsedMs })];
    }
    case 'tool.ended':
      return [frame('tool:result', toolResult(event))];
    case 'approval.requested':
      return [frame('approval:request', withCall(event, approvalKeys))];
    case 'approval.resolved':
      return [
        frame(
          'approval:resolve',
          withCall(event, ['approvalId', 'decision', 'by', 'message', 'input']),
        ),
      ];
    case 'turn.parked':
      return [frame('turn:parked', { approvalIds: event.approvalIds })];
    case 'message.joined':
      return [frame('message:joined', pick(event, ['messageId', 'afterStep', 'text']))];
    case 'subagent.told':
      return framesOf({}, event.event).map((inner) => ofSubagent(event, inner));
    case 'subagent.started':
      return [frame('subagent:start', withCall(event, ['childTurnId', 'agent']))];
    case 'subagent.ended':
      return [frame('subagent:end', withCall(event, ['childTurnId', 'outcome', 'usage']))];
    case 'attachment.rejected':
      return [frame('attachment:warning', pick(event, ['name', 'reason', 'index']))];
    case 'notice.posted':
      return [
        frame('system:notice', pick(event, ['kind', 'level', 'text', 'metadata', 'seenByModel'])),
      ];
    case 'turn.failed':
      return [frame('turn:error', describeFailure(event))];
    case 'turn.ended':
      return ended(state, event);
    default:
      return assertNever(event);
  }
}

const approvalKeys = [
  'approvalId',
  'name',
  'input',
  'kind',
  'reason',
  'expiresAt',
  'onTimeout',
  'awaits',
  'question',
] as const;

/** A frame of a subagent's own stream, under a name of its own. */
function ofSubagent({ callId, childTurnId }: EventOf<'subagent.told'>, inner: Frame): Frame {
  const whose: Relayed<object> = { childTurnId, parentToolUseId: callId };
  const data = JSON.stringify(whose).slice(0, -1);
  const rest = inner.data === '{}' ? '}' : `,${inner.data.slice(1)}`;
  return { event: `subagent:${inner.event}`, data: data + rest };
}

function started(event: EventOf<'turn.started'>): HarnessFrames['session:init'] {
  const { providerSessionId, model, sessionId, messageId, agent, resumed } = event;
  const replaced = pick(event, ['replaces', 'filesReverted']);
  return {
    claudeSessionId: providerSessionId,
    model,
    sessionId,
    messageId,
    agent,
    resumed,
    ...replaced,
  };
}

function toolResult(event: EventOf<'tool.ended'>): HarnessFrames['tool:result'] {
  const { name, status, output, callId, durationMs, files } = event;
  const ok = status === 'success';
  return compact({ name, ok, output, toolUseId: callId, status, durationMs, files });
}

/** Data of the frame `turn:error`. */
function describeFailure(event: EventOf<'turn.failed'>): HarnessFrames['turn:error'] {
  return {
    ...pick(event, ['phase', 'errorType', 'message', 'status', 'severity', 'fatal', 'details']),
    ...retryAdvice(event),
  };
}

/** Data of the frame `turn:end`. */
function describeEnd(event: EventOf<'turn.ended'>): HarnessFrames['turn:end'] {
  return pick(event, ['outcome', 'exitCode', 'reason', 'usage', 'durationMs']);
}

function ended(state: HarnessState, event: EventOf<'turn.ended'>): Frame[] {
  const summary = frame('turn:end', describeEnd(event));
  switch (event.outcome) {
    case 'completed':
    case 'limited':
      return [
        ...(event.output === undefined ? [] : [frame('output:final', { output: event.output })]),
        frame('chat:complete', { text: event.text }),
        frame('session:complete', {}),
        summary,
        frame('process:exit', { exitCode: event.exitCode }),
      ];
    case 'interrupted':
      return [summary, frame('process:exit', { exitCode: event.exitCode, interrupted: true })];
    case 'failed':
      return [summary, frame('process:exit', failedExit(event.exitCode, state.failure))];
    default:
      return assertNever(event.outcome);
  }
}

function failedExit(
  exitCode: number,
  failed: EventOf<'turn.failed'> | undefined,
): HarnessFrames['process:exit'] {
  if (failed === undefined) return { exitCode, interrupted: false };
  const { message, errorType, status, severity, fatal, details } = failed;
  const exit = { exitCode, interrupted: false, error: message, errorType, status, severity, fatal };
  return details === undefined ? exit : { ...exit, errorDetails: details };
}

function withCall<E extends { callId: string }, K extends keyof E>(
  event: E,
  keys: readonly K[],
): { toolUseId: string } & Pick<E, K> {
  return { toolUseId: event.callId, ...pick(event, keys) };
}

/** Absent optional fields are left out. */
function pick<E, K extends keyof E>(event: E, keys: readonly K[]): Pick<E, K> {
  const picked: Partial<Pick<E, K>> = {};
  for (const key of keys) if (event[key] !== undefined) picked[key] = event[key];
  return picked as Pick<E, K>;
}

function frame<Name extends HarnessFrameName>(event: Name, data: HarnessFrames[Name]): Frame {
  return { event, data: JSON.stringify(data) };
}

/** A turn that has ended, for clients that read no stream. */
export type TurnResult = HarnessFrames['turn:end'] & {
  turnId: string;
  sessionId: string;
  /** The model's text without discarded steps; of a turn that was cut off, as far as it came. */
  text: string;
  /** The object that a turn was to end with, and ended with. */
  output?: JsonObject;
  /** The error of a failed turn. */
  error?: HarnessFrames['turn:error'];
  /** What the turn was told beside its answer: options that had no effect, limits, … Absent: nothing. */
  notices?: readonly HarnessFrames['system:notice'][];
  /** Files of the message that were not taken. Absent: all were. */
  rejectedFiles?: readonly HarnessFrames['attachment:warning'][];
};

interface ResultState {
  error?: HarnessFrames['turn:error'];
  notices: readonly HarnessFrames['system:notice'][];
  rejectedFiles: readonly HarnessFrames['attachment:warning'][];
}

/** Folds a turn to its result. */
export function resultFold(ids: {
  turnId: string;
  sessionId: string;
}): AnswerFold<ResultState, TurnResult> {
  return {
    initial: { notices: [], rejectedFiles: [] },
    next,
    end: ({ error, notices, rejectedFiles }, event) => ({
      ...ids,
      text: event.text,
      ...describeEnd(event),
      ...compact({ output: event.output, error }),
      ...(notices.length === 0 ? {} : { notices }),
      ...(rejectedFiles.length === 0 ? {} : { rejectedFiles }),
    }),
  };
}

function next(state: ResultState, event: TurnEvent): ResultState {
  if (event.type === 'turn.failed') return { ...state, error: describeFailure(event) };
  if (event.type === 'notice.posted') {
    const { kind, level, text, metadata, seenByModel } = event;
    const notice = { kind, level, text, ...compact({ metadata }), seenByModel };
    return { ...state, notices: [...state.notices, notice] };
  }
  if (event.type !== 'attachment.rejected') return state;
  const { name, reason, index } = event;
  return {
    ...state,
    rejectedFiles: [...state.rejectedFiles, { name, reason, ...compact({ index }) }],
  };
}
