import type { EventOf, Source } from '../../../events/face.js';
import type { JsonObject, RetryAdvice } from '../../../platform/face.js';
import type { PartialOutput } from '../../framing/face.js';

/** Names the tool call that a frame is about. */
interface OfCall {
  toolUseId: string;
}

/** The members of a type, spelled out: TypeScript takes only such a type for a record. */
type Plain<T> = { [K in keyof T]: T[K] };

type AboutCall<E, K extends keyof E> = Plain<OfCall & Pick<E, K>>;

/**
 * The frames of the harness wire: event names and the fields of their data, of which clients take
 * their types. `harness.ts` makes its frames through it, so that the two cannot differ.
 */
export interface HarnessFrames {
  'session:init': Plain<
    { claudeSessionId: string } & Pick<
      EventOf<'turn.started'>,
      'model' | 'sessionId' | 'messageId' | 'agent' | 'resumed' | 'replaces' | 'filesReverted'
    >
  >;
  'chat:delta': Pick<EventOf<'text.delta'>, 'text' | 'step'>;
  'thinking:delta': Pick<EventOf<'thinking.delta'>, 'text' | 'step'>;
  source: Plain<{ step: number } & Source>;
  'tool:request': AboutCall<EventOf<'tool.requested'>, 'name' | 'step' | 'by'>;
  'tool:args': AboutCall<EventOf<'tool.args.delta'>, 'json'>;
  'tool:start': AboutCall<EventOf<'tool.started'>, 'name' | 'input'>;
  'tool:progress': AboutCall<EventOf<'tool.progress'>, 'note' | 'elapsedMs'>;
  'tool:result': Plain<
    { ok: boolean } & OfCall &
      Pick<EventOf<'tool.ended'>, 'name' | 'output' | 'status' | 'durationMs' | 'files'>
  >;
  'step:start': Pick<EventOf<'step.started'>, 'step'>;
  'step:discard': Pick<EventOf<'step.discarded'>, 'step'>;
  'step:end': Pick<EventOf<'step.ended'>, 'step' | 'stopReason' | 'usage'>;
  'turn:queued': Pick<EventOf<'turn.queued'>, 'position' | 'reason'>;
  'turn:recovering': Pick<EventOf<'turn.recovering'>, 'reason' | 'attempt'>;
  'approval:request': AboutCall<
    EventOf<'approval.requested'>,
    | 'approvalId'
    | 'name'
    | 'input'
    | 'kind'
    | 'reason'
    | 'expiresAt'
    | 'onTimeout'
    | 'awaits'
    | 'question'
  >;
  'approval:resolve': AboutCall<
    EventOf<'approval.resolved'>,
    'approvalId' | 'decision' | 'by' | 'message' | 'input'
  >;
  'turn:parked': Pick<EventOf<'turn.parked'>, 'approvalIds'>;
  'message:joined': Pick<EventOf<'message.joined'>, 'messageId' | 'afterStep' | 'text'>;
  'subagent:start': AboutCall<EventOf<'subagent.started'>, 'childTurnId' | 'agent'>;
  'subagent:end': AboutCall<EventOf<'subagent.ended'>, 'childTurnId' | 'outcome' | 'usage'>;
  'attachment:warning': Pick<EventOf<'attachment.rejected'>, 'name' | 'reason' | 'index'>;
  'system:notice': Pick<
    EventOf<'notice.posted'>,
    'kind' | 'level' | 'text' | 'metadata' | 'seenByModel'
  >;
  /** The object as far as it has come; of a step that was discarded, an empty one. */
  'output:partial': Plain<PartialOutput>;
  /** Once, before the end of a turn that ended with an object. */
  'output:final': Plain<{ output: JsonObject }>;
  'chat:complete': Pick<EventOf<'turn.ended'>, 'text'>;
  // No field: the frame's arrival is its meaning.
  'session:complete': object;
  /** Without an id: the token of the reader ended, or was ended. The turn goes on; so does the stream, with another. */
  'session:reauthenticate': Plain<{ reason: 'expired' | 'ended' }>;
  /**
   * Without an id: the worker of the turn has given no sign of life for `silentMs`. It goes on, or another takes the
   * turn over after `leaseUntil`, ISO-8601.
   */
  'turn:stalled': Plain<{ silentMs: number; leaseUntil: string }>;
  'turn:error': Plain<
    Pick<
      EventOf<'turn.failed'>,
      'phase' | 'errorType' | 'message' | 'status' | 'severity' | 'fatal' | 'details'
    > &
      RetryAdvice
  >;
  'turn:end': Pick<
    EventOf<'turn.ended'>,
    'outcome' | 'exitCode' | 'reason' | 'usage' | 'durationMs'
  >;
  'process:exit': HarnessExit;
}

/** Always the last frame. For a turn that failed it repeats the cause. */
type HarnessExit = Plain<
  { exitCode: number; interrupted?: boolean; error?: string; errorDetails?: unknown } & Partial<
    Pick<EventOf<'turn.failed'>, 'errorType' | 'status' | 'severity' | 'fatal'>
  >
>;

export type HarnessFrameName = keyof HarnessFrames;

/** A frame of a subagent's own stream, as its parent's has it. */
export type Relayed<Data> = Plain<{ childTurnId: string; parentToolUseId: string } & Data>;
