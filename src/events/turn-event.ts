import type { ErrorCode } from '../errors/error-table.js';
import type { JsonObject } from '../platform/json.js';
import type {
  OutputFile,
  StepStopReason,
  ToolStatus,
  Usage,
} from '../storage/shapes/stored-step.js';

/**
 * The vocabulary of a turn, and its only definition. Names are noun, dot, verb in the past tense,
 * or `delta`. Every `switch` over it ends in `assertNever`, so that a new event breaks the build
 * in the view of a turn, in each dialect and wherever else it must be handled.
 */

export interface Source {
  type: string;
  title: string;
  url?: string;
  citedText?: string;
  /** The cited range of the document: pages, characters or blocks. */
  location?: { unit: 'page' | 'char' | 'block'; start: number; end: number };
}

export const turnOutcomes = ['completed', 'limited', 'interrupted', 'failed'] as const;
export type TurnOutcome = (typeof turnOutcomes)[number];

export type TurnEventBody =
  | {
      type: 'turn.queued';
      position: number;
      /** No worker could be told of the turn so far: it starts by itself when one is. Absent: it waits for a slot. */
      reason?: 'queue-unavailable';
    }
  | {
      type: 'turn.started';
      sessionId: string;
      messageId: string;
      agent: string;
      model: string;
      providerSessionId: string;
      /** Whether the session had turns before this one. */
      resumed: boolean;
      /** Tokens of the model's window, its reply included. */
      contextWindow: number;
      /** The limit of model calls of the turn. */
      maxTurns: number;
      /** The turn is to end with an object: its replies are JSON. */
      hasOutput?: true;
      /** The turn whose place this one takes, with all that followed. Absent: none. */
      replaces?: string;
      /** The files are as the replaced turns left them. Absent: nothing is replaced. */
      filesReverted?: false;
    }
  | { type: 'turn.recovering'; reason: string }
  | { type: 'step.started'; step: number }
  | { type: 'step.discarded'; step: number }
  | { type: 'thinking.delta'; step: number; text: string }
  | { type: 'text.delta'; step: number; text: string }
  | { type: 'source.cited'; step: number; source: Source }
  | {
      type: 'tool.requested';
      step: number;
      callId: string;
      name: string;
      /** The provider runs the call, beyond this server's ledger and rules. Absent: this server does. */
      by?: 'provider';
    }
  | { type: 'tool.args.delta'; callId: string; json: string }
  | { type: 'tool.started'; callId: string; name: string; input: unknown }
  | { type: 'tool.progress'; callId: string; note: string; elapsedMs: number }
  | {
      type: 'tool.ended';
      callId: string;
      name: string;
      status: ToolStatus;
      output: string;
      durationMs: number;
      /** The files of the output. Absent: none. */
      files?: readonly OutputFile[];
    }
  | {
      type: 'approval.requested';
      approvalId: string;
      callId: string;
      name: string;
      input: unknown;
      /**
       * `tool`: may the call run? `unknown-outcome`: may a call whose process died run again?
       * `client-tool`: the client runs the call, and its answer is the output. `elicitation`: the call asks, see
       * `question`. `mcp-authorize`: will the person log in at the MCP server of the call? More kinds may come.
       */
      kind: 'tool' | 'unknown-outcome' | 'client-tool' | 'elicitation' | 'mcp-authorize';
      reason: string;
      /** The time at which `onTimeout` is decided, ISO-8601. */
      expiresAt: string;
      onTimeout: 'approve' | 'deny';
      /** Who decides: all of these quorums. Absent: the principal of the turn. */
      awaits?: readonly { by: readonly string[]; count: number; notRequester: boolean }[];
      /** What the call asks. Absent: the question is about the call. */
      question?: JsonObject;
    }
  | {
      type: 'approval.resolved';
      approvalId: string;
      callId: string;
      /**
       * `answer`: the client gave its tool's output, which follows as `tool.ended`, or a person said what the call asked.
       * `cancel`: the question of a call was closed without an answer.
       */
      decision: 'approve' | 'approve-session' | 'deny' | 'answer' | 'cancel' | 'cancelled';
      /** The principal that decided; `approvers`: those that it awaited; `deadline` and `server`: nobody. */
      by: string;
      message?: string;
      /** The input that replaces the requested one. */
      input?: unknown;
    }
  /**
   * The turn is parked until these approvals are answered. Emitted each time that a worker gives the
   * turn back, with all open approvals; its next attempt goes on.
   */
  | { type: 'turn.parked'; approvalIds: string[] }
  /** A message of the user that was steered into the turn; the model gets it after this step. */
  | { type: 'message.joined'; messageId: string; afterStep: number; text: string }
  | { type: 'subagent.started'; callId: string; childTurnId: string; agent: string }
  /** An event of a subagent, on its parent's stream. */
  | { type: 'subagent.told'; callId: string; childTurnId: string; event: TurnEvent }
  | {
      type: 'subagent.ended';
      callId: string;
      childTurnId: string;
      outcome: TurnOutcome;
      usage: Usage;
    }
  | {
      type: 'attachment.rejected';
      name: string;
      reason: string;
      /** The file's index among the turn's files, from 0: names may be equal. Absent for a file that a tool returned. */
      index?: number;
    }
  | {
      type: 'notice.posted';
      kind: string;
      level: 'message' | 'step';
      text: string;
      metadata?: Record<string, unknown>;
      seenByModel: boolean;
    }
  | { type: 'step.ended'; step: number; stopReason: StepStopReason; usage: Usage }
  | {
      type: 'turn.failed';
      phase: 'mid-stream';
      errorType: ErrorCode;
      message: string;
      status: number;
      severity: 'warning' | 'error';
      fatal: boolean;
      details?: unknown;
      /** Whether the same turn, sent again, may succeed. */
      retryable: boolean;
      retryAfterMs?: number;
      /** The provider's id of the call that failed. */
      requestId?: string;
    }
  | {
      type: 'turn.ended';
      outcome: TurnOutcome;
      exitCode: number;
      /** A stop reason, the name of a limit, who interrupted, or the type of an error. */
      reason: string;
      text: string;
      usage: Usage;
      durationMs: number;
      /** The object that a turn was to end with, and ended with. */
      output?: JsonObject;
    };

export type NoticePosted = Extract<TurnEventBody, { type: 'notice.posted' }>;

/**
 * A notice that the model does not see.
 *
 * @param level `message`: about the turn. `step`: about what just happened.
 * @param metadata machine-readable details.
 */
export function clientNotice(
  level: NoticePosted['level'],
  kind: string,
  text: string,
  metadata?: Record<string, unknown>,
): NoticePosted {
  const details = metadata === undefined ? {} : { metadata };
  return { type: 'notice.posted', kind, level, text, ...details, seenByModel: false };
}

/**
 * An event in the log. Events of a turn are ordered by (attempt, seq). `attempt` counts the
 * workers that claimed the turn, from 1 (events before the first claim have attempt 0);
 * `seq` counts from 1 within the attempt.
 */
export type TurnEvent = TurnEventBody & { attempt: number; seq: number; at: string };

/** The events of some types. */
export type EventOf<Type extends TurnEvent['type']> = Extract<TurnEvent, { type: Type }>;

/** Takes events. @returns whether they were enough, now or once there is room for more. */
export type OnEvents = (events: readonly TurnEvent[]) => boolean | Promise<boolean>;

export const noUsage: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
};

const optional = [
  'cacheWrite5mTokens',
  'cacheWrite1hTokens',
  'thinkingTokens',
  'addedTokens',
  'costUsd',
  'webSearches',
] as const satisfies readonly (keyof Usage)[];

/** The sum of two usages; a field that neither has is absent. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum: Usage = {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
  };
  for (const name of optional) {
    const [one, other] = [a[name], b[name]];
    if (one !== undefined || other !== undefined) sum[name] = (one ?? 0) + (other ?? 0);
  }
  return sum;
}

/** Tokens of one call's prompt, also those of a cache. */
export function promptTokens({ inputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens;
}

/** Tokens of one call: the whole prompt, and the model's reply. */
export function contextTokens(usage: Usage): number {
  return promptTokens(usage) + usage.outputTokens;
}
