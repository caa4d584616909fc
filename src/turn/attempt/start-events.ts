import { clientNotice, type NoticePosted, type TurnEventBody } from '../../events/turn-event.js';
import { optionsNotice } from '../../options/option-problems.js';
import { newId } from '../../platform/ids.js';
import { sessions, turns } from '../../storage/schema.js';
import { updateTurnKind, writeKind, type StoreWrite } from '../../storage/write-kind.js';
import { assistantMessageId, offerOf } from '../state/turn-row.js';
import type { Attempt } from '../state/attempt.js';
import { announceRecovery } from './announce-recovery.js';
import { makerNotice } from './maker-notice.js';

/**
 * Commits the first events of an attempt: `turn.started`, and with it the session's provider session and
 * model; or, where an earlier attempt did, the recovery and the half-streamed step that no longer counts.
 */
export async function announceStart(attempt: Attempt): Promise<void> {
  const { services, turn, session, archived } = attempt;
  const hasStarted = archived.some(({ type }) => type === 'turn.started');
  if (hasStarted) return announceRecovery(attempt, storeTrace(attempt));
  const { options } = turn.options;
  const claudeSessionId = session.claudeSessionId ?? newId('claude');
  const model = services.provider.modelLabel(options.model);
  const headWorker = services.config.conversationCacheMb === 0 ? null : attempt.worker;
  const started: TurnEventBody = {
    type: 'turn.started',
    sessionId: turn.sessionId,
    messageId: assistantMessageId(turn.id),
    agent: options.persona,
    model,
    providerSessionId: claudeSessionId,
    resumed: attempt.earlier.length > 0,
    maxTurns: options.maxTurns,
    ...(options.output === undefined ? {} : { hasOutput: true }),
    contextWindow: services.models.describe(options.model).contextWindow,
    ...(turn.replaces === null ? {} : { replaces: turn.replaces, filesReverted: false as const }),
  };
  await attempt.writer.commit(
    [started, ...notices(attempt)],
    [
      ...storeTrace(attempt),
      startSession({ ...session, claudeSessionId, model, headWorker, changedAt: attempt.beganAt }),
    ],
  );
}

const { id, claudeSessionId, model, headTurnId, headWorker, updatedAt } = sessions;
/** The turn becomes the head only if nothing else has begun in the session since the claim. */
const startSession = writeKind(
  { id, claudeSessionId, model, headTurnId, headWorker, updatedAt, changedAt: updatedAt },
  (input) => `update sessions set claude_session_id = input."claudeSessionId", model = input.model,
    updated_at = input."changedAt", head_worker = input."headWorker", head_turn_id = case when input.starts = 1
      and sessions.head_turn_id is not distinct from input."headTurnId"
      and sessions.updated_at = input."updatedAt" then input.fence_id end
    from (select *, count(*) over (partition by id) as starts from ${input}) input
    where sessions.id = input.id`,
);

const storeLastTrace = updateTurnKind(turns, ['lastTraceparent']);

/** The attempt's span, which the next attempt is linked to. */
function storeTrace({ span }: Attempt): StoreWrite[] {
  if (span?.isRecording !== true) return [];
  return [storeLastTrace({ lastTraceparent: span.trace?.traceparent ?? null })];
}

/** Notices of what the request has in another way than it was sent: files, models, options, delegation. */
function notices(attempt: Attempt): TurnEventBody[] {
  const { turn, earlier } = attempt;
  const rejected = turn.request.rejectedAttachments.map((file): TurnEventBody => ({
    type: 'attachment.rejected',
    ...file,
  }));
  const delegation = delegationNotice(turn);
  const models = (turn.options.modelNotices ?? []).map(({ kind, text, metadata }) =>
    clientNotice('message', kind, text, metadata),
  );
  const { problems } = turn.options;
  const ignored = problems.length === 0 ? undefined : optionsNotice(problems);
  const notice: TurnEventBody[] = ignored ? [{ type: 'notice.posted', ...ignored }] : [];
  const { model } = turn.options.options;
  const maker = (earlier.at(-1)?.turn.model ?? model) === model ? [] : makerNotice(attempt);
  return [...rejected, ...models, ...maker, ...notice, ...delegation];
}

/** The notice for a client that asked for delegation; others find the decision in the turn. */
function delegationNotice(turn: Attempt['turn']): TurnEventBody[] {
  const { options, delegation } = offerOf(turn);
  if (delegation === null || options.options.subagentGovernance === undefined) return [];
  const { allowed, reason, delegatedSubagents } = delegation;
  const agents = delegatedSubagents.length === 0 ? 'nobody' : delegatedSubagents.join(', ');
  const [kind, text] = allowed
    ? ['delegation-allowed', `The turn may delegate to ${agents}.`]
    : ['delegation-denied', `The turn may not delegate: ${reason}`];
  return [clientNotice('message', kind, text, { ...delegation })];
}

/** Emits a notice, unless an earlier attempt did. */
export function emitOnce(
  { archived, writer }: Pick<Attempt, 'archived' | 'writer'>,
  notice: NoticePosted,
): void {
  const isKnown = archived.some(
    (event) =>
      event.type === 'notice.posted' && event.kind === notice.kind && event.text === notice.text,
  );
  if (!isKnown) writer.emit(notice);
}
