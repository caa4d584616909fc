import type { EventOf, Source, TurnEvent, Usage } from '../../../events/face.js';
import { assertNever, printJson, retryAdvice } from '../../../platform/face.js';
import {
  type Announcement,
  applyByType,
  type ByType,
  type Dialect,
  followTurn,
  isRunning,
  type OpenCall,
  sentSoFar,
  startView,
  type TurnChange,
  type TurnView,
} from '../../framing/face.js';
import type {
  AgentAnswerEnd,
  AgentAnswerIds,
  AgentFrame,
  HolodeckNotice,
  HolodeckSource,
  TokensUsed,
} from './agent-frames.js';
import { toProblem, type Problem } from './problem-details.js';

/**
 * Status of a client's request that was closed before its answer; no standard has a number for it.
 */
const CLOSED_REQUEST = 499;

/** The view of the turn, and what is sent at its end. */
export interface AgentState {
  view: TurnView;
  sources: readonly { step: number; source: Source }[];
  notices: readonly HolodeckNotice[];
}

export const agentStart: AgentState = { view: startView(), sources: [], notices: [] };

type Encoded = { state: AgentState; events: AgentFrame[] };

/**
 * The wire of named agents (contract: holodeck, its seed): seven events, and `message_reset`, which is ours.
 * `stream_start` is the first one, once; `stream_end` or `error` is always the last one, and every
 * call that began has ended before.
 */
export function namedAgentsDialect(ids: AgentAnswerIds): Dialect<AgentState> {
  return {
    name: 'holodeck',
    initial: agentStart,
    encode: (before, event) => {
      const { state, events } = encodeForAgent(ids, before, event);
      const frames = events.map((one) => ({ event: one.event, data: JSON.stringify(one.data) }));
      return { state, frames };
    },
  };
}

/** Encodes an event as events of the wire; also what it changed. Pure. */
export function encodeForAgent(
  ids: AgentAnswerIds,
  before: AgentState,
  event: TurnEvent,
): Encoded & { changes: readonly TurnChange[] } {
  const { view, changes, begins } = followTurn(before.view, event);
  let state: AgentState = { ...before, view };
  const { sessionId: session_id, messageId: message_id } = ids;
  const events: AgentFrame[] = [];
  if (begins) events.push({ event: 'stream_start', data: { session_id, message_id } });
  for (const change of changes) {
    // A subagent is a call like any other on this wire.
    if (change.owner !== undefined) continue;
    const encoded = applyByType(framesByType, change, message_id, state);
    ({ state } = encoded);
    events.push(...encoded.events);
  }
  return { state, events, changes };
}

/** The wire has no word for it. */
const wordless = (_change: TurnChange, _messageId: string, state: AgentState): Encoded =>
  encodeAs(state);

/** The frames of each change of the turn's own view. */
const framesByType: ByType<TurnChange, [messageId: string, AgentState], Encoded> = {
  announced: ({ event }, _id, state) => announce(state, event),
  'part.grown': ({ part, text }, message_id, state) =>
    part.kind === 'text' ? encodeAs(state, delta(message_id, text)) : encodeAs(state),
  'source.cited': ({ event }, _id, state) =>
    encodeAs({ ...state, sources: [...state.sources, event] }),
  'call.requested': ({ call: { callId: tool_call_id, name } }, message_id, state) =>
    encodeAs(state, { event: 'tool_call_start', data: { tool_call_id, name, message_id } }),
  'call.grown': ({ call, json }, _id, state) => encodeAs(state, ...growArgs(call, json)),
  'call.started': ({ call, event }, _id, state) => {
    // A call's input is whole: it is sent at once where nothing of it was sent before.
    const whole = hasArgs(call) ? '' : printJson(event.input ?? {});
    return encodeAs(state, ...growArgs(call, whole));
  },
  'call.ended': ({ call, event }, _id, state) => {
    if (call === undefined) return encodeAs(state);
    // A call that was answered without being run has arguments, too: its fragments are JSON.
    const args = growArgs(call, hasArgs(call) ? '' : '{}');
    const status = event.status === 'success' ? 'success' : 'error';
    return encodeAs(state, ...args, callEnd(call, status));
  },
  'call.abandoned': ({ call }, _id, state) => encodeAs(state, callEnd(call, 'error')),
  discarded: ({ step }, message_id, state) => discardStep(message_id, state, step),
  ended: ({ unsent, event }, message_id, state) =>
    encodeAs(
      state,
      ...(unsent === '' ? [] : [delta(message_id, unsent)]),
      lastEvent(message_id, state, event),
    ),
  started: wordless,
  'step.opened': wordless,
  'step.closed': wordless,
  'step.ended': wordless,
  'part.opened': wordless,
  'part.closed': wordless,
  'input.opened': wordless,
  'input.closed': wordless,
  'question.asked': wordless,
  'question.answered': wordless,
  'output.grown': wordless,
  'subagent.started': wordless,
  'subagent.told': wordless,
  'subagent.closed': wordless,
  'subagent.ended': wordless,
  parked: wordless,
};

function encodeAs(state: AgentState, ...events: AgentFrame[]): Encoded {
  return { state, events };
}

/** Notices are sent at the end. */
function announce(state: AgentState, event: Announcement): Encoded {
  switch (event.type) {
    case 'notice.posted': {
      const { kind, text, metadata } = event;
      return encodeAs({ ...state, notices: [...state.notices, { kind, text, metadata }] });
    }
    case 'attachment.rejected': {
      const { name, reason, index } = event;
      const metadata = index === undefined ? undefined : { name, index };
      const notice = { kind: 'file-rejected', text: `${name}: ${reason}`, metadata };
      return encodeAs({ ...state, notices: [...state.notices, notice] });
    }
    case 'turn.queued':
    case 'turn.recovering':
    case 'message.joined':
    case 'tool.progress':
      return encodeAs(state);
    default:
      return assertNever(event);
  }
}

function delta(message_id: string, text: string): AgentFrame {
  return { event: 'message_delta', data: { delta: text, message_id } };
}

/** Whether arguments of a call were sent: of one that ran, all were. */
function hasArgs(call: OpenCall): boolean {
  return call.json !== '' || isRunning(call);
}

function growArgs({ callId }: OpenCall, json: string): AgentFrame[] {
  if (json === '') return [];
  return [{ event: 'tool_call_args', data: { tool_call_id: callId, args_delta: json } }];
}

function callEnd({ callId }: OpenCall, status: 'success' | 'error'): AgentFrame {
  return { event: 'tool_call_end', data: { tool_call_id: callId, status } };
}

/**
 * The text that stays is sent as a whole. Also where the log has nothing of the step: a client may have more
 * than a log that lost its tail.
 */
function discardStep(message_id: string, before: AgentState, step: number): Encoded {
  const sources = before.sources.filter((cited) => cited.step !== step);
  const content = sentSoFar(before.view.text);
  return encodeAs(
    { ...before, sources },
    { event: 'message_reset', data: { message_id, content } },
  );
}

function lastEvent(
  message_id: string,
  state: AgentState,
  event: EventOf<'turn.ended'>,
): AgentFrame {
  switch (event.outcome) {
    case 'completed':
    case 'limited':
      return { event: 'stream_end', data: { message_id, ...describeEnd(state, event) } };
    case 'interrupted': {
      const detail = interruptions[event.reason] ?? 'The turn was interrupted.';
      return { event: 'error', data: toProblem('INTERRUPTED', { status: CLOSED_REQUEST, detail }) };
    }
    case 'failed':
      return { event: 'error', data: describeFailure(state.view.turn.failure) };
    default:
      return assertNever(event.outcome);
  }
}

function describeEnd(
  { sources, notices }: AgentState,
  event: EventOf<'turn.ended'>,
): AgentAnswerEnd {
  const { outcome, reason, output } = event;
  const limit = { reason, message: explainLimit(notices, reason) };
  return {
    tokens_used: countTokens(event.usage),
    execution_time_ms: event.durationMs,
    content: event.text,
    ...(output === undefined ? {} : { output }),
    ...(sources.length === 0 ? {} : { sources: sources.map(({ source }) => toSource(source)) }),
    ...(outcome === 'limited' ? { limit } : {}),
    ...(notices.length === 0 ? {} : { notices }),
  };
}

function toSource({ type, title, url, citedText, location }: Source): HolodeckSource {
  return { type, title, url, cited_text: citedText, location };
}

/** Kinds of the notices that give the reason why a turn ended. */
const endingKinds = new Set(['limit-reached', 'no-progress', 'error-limit', 'refusal']);

const limits: Record<string, string | undefined> = {
  max_tokens: 'The reply was cut off: it reached the most tokens a reply may have.',
  context_window: 'The reply was cut off: the conversation fills the window of the model.',
  refusal: 'The model declined to go on.',
};

function explainLimit(notices: readonly HolodeckNotice[], reason: string): string {
  const notice = notices.findLast(({ kind }) => endingKinds.has(kind));
  return notice?.text ?? limits[reason] ?? `The turn ended at a limit: ${reason}.`;
}

const interruptions: Record<string, string | undefined> = {
  interrupt: 'The turn was interrupted. The answer so far is kept.',
  disconnect: 'The turn was interrupted: every reader had left. The answer so far is kept.',
  imported:
    'The turn was interrupted: its session was moved to this server. The answer so far is kept.',
  'session-deleted': 'The turn was interrupted: its session was deleted.',
};

/** A status below 500 that the provider gave is about our request to it, not about the client's. */
function describeFailure(failure: EventOf<'turn.failed'> | undefined): Problem {
  if (failure === undefined) {
    const detail = 'The turn failed, and nothing is known of why.';
    return toProblem('SDK_FAILURE', { status: 500, detail });
  }
  const { errorType, status, message } = failure;
  const shown = errorType === 'SDK_FAILURE' && status < 500 ? 502 : status;
  return toProblem(errorType, { status: shown, detail: message, ...retryAdvice(failure) });
}

function countTokens(usage: Usage): TokensUsed | null {
  const prompt = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const total = prompt + usage.outputTokens;
  if (total === 0) return null;
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.outputTokens,
    total_tokens: total,
  };
}
