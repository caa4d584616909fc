import { sql } from 'drizzle-orm';
import type { TurnEvent, TurnEventBody } from '../../events/turn-event.js';
import { describeProblems } from '../../options/describe-problems.js';
import { isoTime } from '../../platform/clock.js';
import { newId } from '../../platform/ids.js';
import { sessions } from '../../storage/schema.js';
import { applyDecision, resolvedEvent } from '../approvals/approval-writes.js';
import { stepEnded } from '../state/turn-events.js';
import { openCalls, type Attempt } from '../state/turn-run.js';
import type { TurnServices } from '../state/turn-services.js';

/**
 * The first events of an attempt. The first to get so far says `turn.started`, with what the turn
 * began with; a later one says that it recovers, and which half-streamed step no longer counts.
 * The session learns its provider session and model in the same statement.
 */
export async function announceAttempt(
  services: TurnServices,
  attempt: Attempt,
  resumed: boolean,
): Promise<void> {
  const { turn, session, said } = attempt;
  if (said.some((event) => event.type === 'turn.started')) return announceRecovery(attempt, said);
  const claudeSessionId = session.claudeSessionId ?? newId('claude');
  const model = services.provider.modelLabel(turn.options.options.model);
  const started: TurnEventBody = {
    type: 'turn.started',
    sessionId: turn.sessionId,
    messageId: attempt.messageId,
    agent: turn.options.options.persona,
    model,
    providerSessionId: claudeSessionId,
    resumed,
    maxTurns: turn.options.options.maxTurns,
    contextWindow: services.models.describe(turn.options.options.model).contextWindow,
  };
  await attempt.writer.commit(
    [started, ...notices(attempt)],
    [
      sql`update ${sessions} set claude_session_id = ${claudeSessionId}, model = ${model},
      updated_at = ${isoTime(services.clock)}::timestamptz
      from fence where ${sessions.id} = ${turn.sessionId}`,
    ],
  );
}

function announceRecovery(attempt: Attempt, said: readonly TurnEvent[]): Promise<void> {
  const { progress, writer } = attempt;
  const last = progress.steps.at(-1);
  const open = openCalls(attempt).length;
  // Its tools were done, and the process died before it could say so.
  const unsaid =
    last !== undefined &&
    open === 0 &&
    !said.some((event) => event.type === 'step.ended' && event.step === last.step);
  const { turn, attempt: number, approvals } = attempt;
  // One that waited for people was handed back in order: there is nothing to recover.
  const isRecovery = turn.parkedAttempt !== number - 1;
  const decided = approvals.filter(
    ({ decision, appliedAttempt }) => decision !== null && appliedAttempt === null,
  );
  const events: TurnEventBody[] = [
    ...(isRecovery
      ? [{ type: 'turn.recovering' as const, reason: 'the process that ran the turn stopped' }]
      : []),
    ...decided.map(resolvedEvent),
    ...(unsaid ? [stepEnded(last)] : []),
    // Until its calls have ended no other step can have begun.
    ...(isRecovery && open === 0
      ? [{ type: 'step.discarded' as const, step: (last?.step ?? 0) + 1 }]
      : []),
  ];
  const facts = decided.map((approval) => applyDecision(approval, number));
  for (const approval of decided) approval.appliedAttempt = number;
  return writer.commit(events, facts);
}

/** What of the request was not taken as it was sent. */
function notices({ turn }: Attempt): TurnEventBody[] {
  const rejected = turn.request.rejectedAttachments.map((file): TurnEventBody => ({
    type: 'attachment.rejected',
    ...file,
  }));
  const delegation = delegationNotice(turn);
  const models = (turn.options.modelNotices ?? []).map((notice): TurnEventBody => ({
    type: 'notice.posted',
    ...notice,
    level: 'message',
    seenByModel: false,
  }));
  const text = describeProblems(turn.options.problems);
  if (text === undefined) return [...rejected, ...models, ...delegation];
  const notice: TurnEventBody = {
    type: 'notice.posted',
    kind: 'options-ignored',
    level: 'message',
    text,
    metadata: { problems: turn.options.problems },
    seenByModel: false,
  };
  return [...rejected, ...models, notice, ...delegation];
}

/** To a client that asked for delegation; the others have the decision in the turn. */
function delegationNotice({ options, delegation }: Attempt['turn']): TurnEventBody[] {
  if (delegation === null || options.options.subagentGovernance === undefined) return [];
  const { allowed, reason, delegatedSubagents } = delegation;
  const whom = delegatedSubagents.length === 0 ? 'nobody' : delegatedSubagents.join(', ');
  return [
    {
      type: 'notice.posted',
      kind: allowed ? 'delegation-allowed' : 'delegation-denied',
      level: 'message',
      text: allowed ? `The turn may delegate to ${whom}.` : `The turn may not delegate: ${reason}`,
      metadata: { ...delegation },
      seenByModel: false,
    },
  ];
}
