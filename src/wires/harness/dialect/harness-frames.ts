import type { Source, TurnEvent } from '../../../events/turn-event.js';
import type { JsonObject } from '../../../platform/json.js';
import type { PartialOutput } from '../../framing/output-progress.js';
import type { RetryAdvice } from '../../../platform/retry-advice.js';

type Of<Type extends TurnEvent['type']> = Extract<TurnEvent, { type: Type }>;

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
      Of<'turn.started'>,
      'model' | 'sessionId' | 'messageId' | 'agent' | 'resumed' | 'replaces' | 'filesReverted'
    >
  >;
  'chat:delta': Pick<Of<'text.delta'>, 'text' | 'step'>;
  'thinking:delta': Pick<Of<'thinking.delta'>, 'text' | 'step'>;
  source: Plain<{ step: number } & Source>;
  'tool:request': AboutCall<Of<'tool.requested'>, 'name' | 'step' | 'by'>;
  'tool:args': AboutCall<Of<'tool.args.delta'>, 'json'>;
  'tool:start': AboutCall<Of<'tool.started'>, 'name' | 'input'>;
  'tool:progress': AboutCall<Of<'tool.progress'>, 'note' | 'elapsedMs'>;
  'tool:result': Plain<
    { ok: boolean } & OfCall & Pick<Of<'tool.ended'>, 'name' | 'output' | 'status' | 'durationMs'>
  >;
  'step:start': Pick<Of<'step.started'>, 'step'>;
  'step:discard': Pick<Of<'step.discarded'>, 'step'>;
  'step:end': Pick<Of<'step.ended'>, 'step' | 'stopReason' | 'usage'>;
  'turn:queued': Pick<Of<'turn.queued'>, 'position'>;
  'turn:recovering': Pick<Of<'turn.recovering'>, 'reason' | 'attempt'>;
  'approval:request': AboutCall<
    Of<'approval.requested'>,
    'approvalId' | 'name' | 'input' | 'kind' | 'reason' | 'expiresAt' | 'onTimeout'
  >;
  'approval:resolve': AboutCall<
    Of<'approval.resolved'>,
    'approvalId' | 'decision' | 'by' | 'message' | 'input'
  >;
  'turn:parked': Pick<Of<'turn.parked'>, 'approvalIds'>;
  'message:joined': Pick<Of<'message.joined'>, 'messageId' | 'afterStep' | 'text'>;
  'subagent:start': AboutCall<Of<'subagent.started'>, 'childTurnId' | 'agent'>;
  'subagent:end': AboutCall<Of<'subagent.ended'>, 'childTurnId' | 'outcome' | 'usage'>;
  'attachment:warning': Pick<Of<'attachment.rejected'>, 'name' | 'reason' | 'index'>;
  'system:notice': Pick<
    Of<'notice.posted'>,
    'kind' | 'level' | 'text' | 'metadata' | 'seenByModel'
  >;
  /** The object as far as it has come; of a step that was discarded, an empty one. */
  'output:partial': Plain<PartialOutput>;
  /** Once, before the end of a turn that ended with an object. */
  'output:final': Plain<{ output: JsonObject }>;
  'chat:complete': Pick<Of<'turn.ended'>, 'text'>;
  // No field: the frame's arrival is its meaning.
  'session:complete': object;
  'turn:error': Plain<
    Pick<
      Of<'turn.failed'>,
      'phase' | 'errorType' | 'message' | 'status' | 'severity' | 'fatal' | 'details'
    > &
      RetryAdvice
  >;
  'turn:end': Pick<Of<'turn.ended'>, 'outcome' | 'exitCode' | 'reason' | 'usage' | 'durationMs'>;
  'process:exit': HarnessExit;
}

/** Always the last frame. For a turn that failed it repeats the cause. */
type HarnessExit = Plain<
  { exitCode: number; interrupted?: boolean; error?: string; errorDetails?: unknown } & Partial<
    Pick<Of<'turn.failed'>, 'errorType' | 'status' | 'severity' | 'fatal'>
  >
>;

export type HarnessFrameName = keyof HarnessFrames;

/** A frame of a subagent's own stream, as its parent's has it. */
export type Relayed<Data> = Plain<{ childTurnId: string; parentToolUseId: string } & Data>;
