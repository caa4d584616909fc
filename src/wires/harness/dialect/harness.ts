import type { EventOf, TurnEvent } from '../../../events/face.js';
import { assertNever, compact, retryAdvice } from '../../../platform/face.js';
import {
  applyByType,
  type ByType,
  type Dialect,
  followOutput,
  type Frame,
  type OutputProgress,
} from '../../framing/face.js';
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

/** The frames of each event. */
const framesByType: ByType<TurnEvent, [HarnessState], Frame[]> = {
  'turn.queued': ({ position, reason }) => [frame('turn:queued', compact({ position, reason }))],
  'turn.started': (event) => [frame('session:init', started(event))],
  'turn.recovering': (event) => [frame('turn:recovering', pick(event, ['reason', 'attempt']))],
  'step.started': ({ step }) => [frame('step:start', { step })],
  'step.discarded': ({ step }) => [frame('step:discard', { step })],
  'step.ended': (event) => [frame('step:end', pick(event, ['step', 'stopReason', 'usage']))],
  'thinking.delta': ({ text, step }) => [frame('thinking:delta', { text, step })],
  'text.delta': ({ text, step }) => [frame('chat:delta', { text, step })],
  'source.cited': ({ step, source }) => [frame('source', { step, ...source })],
  'tool.requested': ({ callId, name, step, by }) => [
    frame('tool:request', { toolUseId: callId, name, step, ...(by === undefined ? {} : { by }) }),
  ],
  'tool.args.delta': ({ callId, json }) => [frame('tool:args', { toolUseId: callId, json })],
  'tool.started': ({ callId, name, input }) => [
    frame('tool:start', { toolUseId: callId, name, input }),
  ],
  'tool.progress': ({ callId, note, elapsedMs }) => [
    frame('tool:progress', { toolUseId: callId, note, elapsedMs }),
  ],
  'tool.ended': (event) => [frame('tool:result', toolResult(event))],
  'approval.requested': (event) => [frame('approval:request', withCall(event, approvalKeys))],
  'approval.resolved': (event) => [frame('approval:resolve', withCall(event, answerKeys))],
  'turn.parked': ({ approvalIds }) => [frame('turn:parked', { approvalIds })],
  'message.joined': (event) => [
    frame('message:joined', pick(event, ['messageId', 'afterStep', 'text'])),
  ],
  'subagent.told': (event) => framesOf({}, event.event).map((inner) => ofSubagent(event, inner)),
  'subagent.started': (event) => [
    frame('subagent:start', withCall(event, ['childTurnId', 'agent'])),
  ],
  'subagent.ended': (event) => [
    frame('subagent:end', withCall(event, ['childTurnId', 'outcome', 'usage'])),
  ],
  'attachment.rejected': (event) => [
    frame('attachment:warning', pick(event, ['name', 'reason', 'index'])),
  ],
  'notice.posted': (event) => [
    frame('system:notice', pick(event, ['kind', 'level', 'text', 'metadata', 'seenByModel'])),
  ],
  'turn.failed': (event) => [frame('turn:error', describeFailure(event))],
  'turn.ended': (event, state) => ended(state, event),
};

function framesOf(state: HarnessState, event: TurnEvent): Frame[] {
  return applyByType(framesByType, event, state);
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

const answerKeys = ['approvalId', 'decision', 'by', 'message', 'input'] as const;

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
export function describeFailure(event: EventOf<'turn.failed'>): HarnessFrames['turn:error'] {
  return {
    ...pick(event, ['phase', 'errorType', 'message', 'status', 'severity', 'fatal', 'details']),
    ...retryAdvice(event),
  };
}

/** Data of the frame `turn:end`. */
export function describeEnd(event: EventOf<'turn.ended'>): HarnessFrames['turn:end'] {
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
