import type { EventOf, Source, TurnEvent, Usage } from '../../../events/face.js';
import { assertNever, printJson, retryAdvice } from '../../../platform/face.js';
import {
  type Announcement,
  type Dialect,
  followTurn,
  isRunning,
  type OpenCall,
  sentSoFar,
  startView,
  type TurnChange,
  type TurnView,
} from '../../framing/face.js';
import {
  clip,
  toOracleSource,
  type DoneChunk,
  type OracleChunk,
  type SystemType,
} from './oracle-frames.js';

const MAX_RESULT_CHARS = 2_000;
const MAX_NAMED = 3;
/** Share of the model's window by which usage moves before it is sent again. */
const CONTEXT_THRESHOLD = 0.05;

/** The view of the turn, and what chunks need beside it. */
export interface OracleState {
  view: TurnView;
  /** Sources come after the last content: they wait for the end. */
  sources: readonly { step: number; source: Source }[];
  /** Steps that ended. */
  steps: number;
  /** Tokens of the conversation as the model last saw it, its reply included. */
  contextTokens: number | undefined;
  /** Tokens in the chunk that was sent last. */
  sentTokens: number;
}

export const oracleStart: OracleState = {
  view: startView(),
  sources: [],
  steps: 0,
  contextTokens: undefined,
  sentTokens: 0,
};

type Encoded = { state: OracleState; chunks: OracleChunk[] };

/**
 * The oracle wire (contract: oracle, section 2): frames without a name, each one chunk of JSON.
 * `done` or `error` is always the last one.
 */
export const oracleDialect: Dialect<OracleState> = {
  name: 'oracle',
  initial: oracleStart,
  encode: (before, event) => {
    const { state, chunks } = encodeOracle(before, event);
    return { state, frames: chunks.map((chunk) => ({ data: JSON.stringify(chunk) })) };
  },
};

/** Encodes an event for the oracle wire. Pure. */
export function encodeOracle(before: OracleState, event: TurnEvent): Encoded {
  const { view, changes } = followTurn(before.view, event);
  let state: OracleState = { ...before, view };
  const chunks: OracleChunk[] = [];
  for (const change of changes) {
    // A subagent is a call like any other on this wire.
    if (change.owner !== undefined) continue;
    const encoded = encodeChange(state, change);
    ({ state } = encoded);
    chunks.push(...encoded.chunks);
  }
  return { state, chunks };
}

function encodeChange(state: OracleState, change: TurnChange): Encoded {
  switch (change.type) {
    case 'announced':
      return encodeAs(state, ...announce(state.view, change.event));
    case 'part.grown': {
      const type = change.part.kind === 'text' ? 'content' : 'thinking';
      return encodeAs(state, { type, content: change.text });
    }
    case 'source.cited':
      return encodeAs({ ...state, sources: [...state.sources, change.event] });
    case 'call.started': {
      const { callId: id, name, input } = change.event;
      const call = { id, name, arguments: printJson(input ?? {}), status: 'running' as const };
      return encodeAs(state, { type: 'tool_call', tool_call: call });
    }
    case 'call.ended':
      return encodeAs(state, ...endCall(state.view, change));
    case 'question.asked':
      return encodeAs(state, { type: 'status', message: describeQuestion(change.event) });
    case 'step.ended':
      return updateContext({ ...state, steps: change.event.step }, change.event);
    case 'discarded':
      return discardStep(state, change);
    case 'ended':
      return encodeAs(state, ...endChunks(state, change));
    // There is nothing a client would do about these.
    case 'started':
    case 'step.opened':
    case 'step.closed':
    case 'part.opened':
    case 'part.closed':
    case 'call.requested':
    case 'call.grown':
    case 'input.opened':
    case 'input.closed':
    case 'call.abandoned':
    case 'question.answered':
    case 'output.grown':
    case 'subagent.started':
    case 'subagent.told':
    case 'subagent.closed':
    case 'subagent.ended':
    case 'parked':
      return encodeAs(state);
    default:
      return assertNever(change);
  }
}

function encodeAs(state: OracleState, ...chunks: OracleChunk[]): Encoded {
  return { state, chunks };
}

function describeWait({ position, reason }: EventOf<'turn.queued'>): string {
  return reason === undefined
    ? `Waiting in the queue, at place ${position}`
    : 'Waiting: no worker could be told of this turn yet; it starts by itself when one is';
}

function announce(view: TurnView, event: Announcement): OracleChunk[] {
  switch (event.type) {
    case 'turn.queued':
      return [{ type: 'status', message: describeWait(event) }];
    case 'tool.progress':
      return describeRunning(view, event);
    case 'notice.posted':
      return describeNotice(event);
    case 'turn.recovering':
    case 'message.joined':
    case 'attachment.rejected':
      return [];
    default:
      return assertNever(event);
  }
}

/**
 * A heartbeat stands for all running calls: every call reports its own progress, and the oldest
 * call's is sent.
 */
function describeRunning({ calls }: TurnView, event: EventOf<'tool.progress'>): OracleChunk[] {
  const running = [...calls.values()].filter((call) => call.owner === undefined && isRunning(call));
  if (running[0]?.callId !== event.callId) return [];
  const names = running.slice(0, MAX_NAMED).map(({ name }) => name);
  const more = running.length > MAX_NAMED ? ` and ${running.length - MAX_NAMED} more` : '';
  const seconds = Math.round(event.elapsedMs / 1000);
  return [{ type: 'status', message: `Running: ${names.join(', ')}${more} (${seconds}s)` }];
}

const systemTypes: Record<string, SystemType | undefined> = {
  'iteration-limit': 'limit_warning',
  'cost-limit': 'limit_warning',
  'token-limit': 'limit_warning',
  'time-limit': 'limit_warning',
  'limit-reached': 'limit_reached',
  'no-progress': 'no_progress',
  'error-limit': 'error_limit',
  'tool-limit': 'tool_limit',
  'options-ignored': 'options_ignored',
};

/** A notice of any other kind is not sent on this wire. */
function describeNotice({ kind, text, metadata }: EventOf<'notice.posted'>): OracleChunk[] {
  const type = Object.hasOwn(systemTypes, kind) ? systemTypes[kind] : undefined;
  if (type === undefined) return [];
  return [{ type: 'system', system_type: type, system_message: text, metadata }];
}

/** A call that was answered without being run is announced first: no result without its call. */
function endCall(
  { callCount }: TurnView,
  { event, call }: { event: EventOf<'tool.ended'>; call: OpenCall | undefined },
): OracleChunk[] {
  const { callId: id, name, status, output } = event;
  const result: OracleChunk = {
    type: 'tool_result',
    tool_call_id: id,
    tool_result: clip(output, MAX_RESULT_CHARS),
    metadata: { order: call?.index ?? callCount - 1 },
  };
  if (call !== undefined && isRunning(call)) return [result];
  const unrun: OracleChunk = {
    type: 'tool_call',
    tool_call: {
      id,
      name,
      arguments: wholeJson(call?.json ?? ''),
      status: status === 'success' ? 'completed' : 'error',
    },
  };
  return [unrun, result];
}

/** Arguments that were cut off are no JSON: a client could not parse them. */
function wholeJson(json: string): string {
  try {
    JSON.parse(json);
    return json;
  } catch {
    return '{}';
  }
}

function describeQuestion({ kind, name }: EventOf<'approval.requested'>): string {
  return kind === 'client-tool'
    ? `Waiting for the output of ${name}`
    : `Waiting for approval of ${name}`;
}

function updateContext(state: OracleState, { usage }: EventOf<'step.ended'>): Encoded {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  const contextTokens = inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens;
  // A call that was cut before the provider reported anything.
  if (contextTokens === 0) return encodeAs(state);
  const window = state.view.turn.started?.contextWindow;
  const moved = Math.abs(contextTokens - state.sentTokens);
  // Without a window there is nothing to compare with.
  if (window === undefined || moved < CONTEXT_THRESHOLD * window) {
    return encodeAs({ ...state, contextTokens });
  }
  return encodeAs(
    { ...state, contextTokens, sentTokens: contextTokens },
    { type: 'context_update', context_tokens: contextTokens, max_context_tokens: window },
  );
}

/**
 * The oracle's clients know no chunk that takes content back. They show a `system` chunk: their
 * people read why the text repeats itself, and a client that reads `metadata` takes it back.
 */
function discardStep(before: OracleState, { step, text }: { step: number; text: string }): Encoded {
  const sources = before.sources.filter((cited) => cited.step !== step);
  const state = { ...before, sources };
  if (text === '') return encodeAs(state);
  return encodeAs(state, {
    type: 'system',
    system_type: 'content_discarded',
    system_message:
      'The answer goes on from an earlier point: the text after it is void, and may come again.',
    metadata: { content: sentSoFar(state.view.text) },
  });
}

/** The last chunks of a turn: the deferred ones, then its one end. */
function endChunks(
  state: OracleState,
  { event, unsent }: { event: EventOf<'turn.ended'>; unsent: string },
): OracleChunk[] {
  return [
    ...(unsent === '' ? [] : [{ type: 'content' as const, content: unsent }]),
    ...state.sources.map(({ source }) => ({
      type: 'source' as const,
      source: toOracleSource(source),
    })),
    ...describeOutcome(state, event),
  ];
}

function describeOutcome(state: OracleState, event: EventOf<'turn.ended'>): OracleChunk[] {
  const { view, steps, contextTokens } = state;
  const { started } = view.turn;
  const done: DoneChunk = {
    type: 'done',
    answer: event.text,
    tokens_used: countTokens(event.usage),
    model_used: started?.model,
    context_id: started?.sessionId,
    context_tokens: contextTokens,
    max_context_tokens: started?.contextWindow,
    output: event.output,
  };
  const doneFor = (reason: string): DoneChunk => ({
    ...done,
    metadata: { termination_reason: reason, turns_used: steps, max_turns: started?.maxTurns },
  });
  switch (event.outcome) {
    case 'completed':
      return [done];
    case 'limited':
      return [doneFor(terminationReasons[event.reason] ?? event.reason)];
    case 'interrupted': {
      const error = cancelled[event.reason] ?? 'Cancelled.';
      return [{ type: 'error', error }, doneFor('cancelled')];
    }
    case 'failed':
      return [describeFailure(view, event)];
    default:
      return assertNever(event.outcome);
  }
}

function describeFailure({ turn }: TurnView, event: EventOf<'turn.ended'>): OracleChunk {
  const { started, failure } = turn;
  return {
    type: 'error',
    error: failure?.message ?? `The turn failed: ${event.reason}.`,
    // No `done` follows that could name the conversation to go on with.
    context_id: started?.sessionId,
    metadata: {
      termination_reason: event.reason,
      status: failure?.status,
      ...retryAdvice(failure ?? {}),
    },
  };
}

/** The server's end reasons that this wire names differently. */
const terminationReasons: Record<string, string | undefined> = { max_turns: 'max_iterations' };

const cancelled: Record<string, string | undefined> = {
  interrupt: 'Cancelled. The answer so far is kept.',
  superseded: 'Cancelled. The answer so far is kept.',
  disconnect: 'Cancelled: every reader had left. The answer so far is kept.',
  imported: 'Cancelled: its conversation was moved to this server. The answer so far is kept.',
  'session-deleted': 'Cancelled: its conversation was deleted.',
};

/** Input that came from the cache is not counted: it was counted when it was written. */
function countTokens({ inputTokens, cacheWriteTokens, outputTokens }: Usage): number {
  return inputTokens + cacheWriteTokens + outputTokens;
}
