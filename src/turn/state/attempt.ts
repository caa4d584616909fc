import type { StoredPart } from '../../storage/shapes/stored-part.js';
import type { EventWriter } from '../../events/event-writer.js';
import type { TurnEvent } from '../../events/turn-event.js';
import type { DecisionTree } from '../../governance/decision-tree/decision-tree.js';
import type { Logger } from '../../platform/logger.js';
import type { Clock } from '../../platform/clock.js';
import type { OpenSpan } from '../../tracing/open-span.js';
import type { LedgerCall } from '../../tools/ledger.js';
import type { ApprovalRow } from '../approvals/approval-writes.js';
import type { ClaimedSession } from '../queue/claim-statements.js';
import type { ChildTurn } from './child-turn.js';
import type { Lease } from './lease.js';
import type { StoredTurn } from './load-turn.js';
import type { Progress, ToolUse } from './progress.js';
import type { TurnRow } from './turn-lookup.js';

/** An attempt at a turn: the facts that it was opened with, and its progress. */
export interface Attempt {
  turn: TurnRow;
  session: ClaimedSession;
  /** The archived events of earlier attempts. */
  archived: readonly TurnEvent[];
  clock: Clock;
  /** Logger with the ids of the turn on every line. */
  logger: Logger;
  lease: Lease;
  /** The attempt's span; absent: it only ends the turn. */
  span?: OpenSpan;
  writer: EventWriter;
  /** Whether a call that was stopped has changed nothing, whatever the tool of this server had done by then. */
  isHarmless(name: string): boolean;
  /** Approvals of the turn's calls. */
  approvals: ApprovalRow[];
  /** Rules that people approved for the rest of the session, when the attempt began. */
  grants: readonly string[];
  /** The start of the turn's own time, without the time for which it was parked. */
  startedAt: Date;
  /** Subagents that the turn has started. */
  children: ChildTurn[];
  /** The turn before in the conversation. Absent: there is none, or it is not known. */
  previous?: StoredTurn;
  /** The user's message, files by reference. */
  storedParts: readonly StoredPart[];
  /** Decides when the loop ends. */
  tree: DecisionTree;
  progress: Progress;
}

/** A call of the last finished step, for the ledger. */
export function ledgerCall({ turn, progress }: Attempt, call: ToolUse): LedgerCall {
  return {
    turnId: turn.id,
    callId: call.id,
    step: progress.steps.length,
    attempt: turn.attempt,
    name: call.name,
    input: call.input,
  };
}
