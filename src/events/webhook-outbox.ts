import { assertNever } from '../platform/assert-never.js';
import { compact } from '../platform/compact.js';
import { cutText } from '../platform/text/cut-text.js';
import { webhookDeliveries, type WebhookEvent } from '../storage/automation-schema.js';
import { writeKind, type StoreWrite } from '../storage/write-kind.js';
import type { TurnEvent } from './turn-event.js';

const { id, type, facts, createdAt } = webhookDeliveries;

/** Deliveries to the endpoints of the turn's principal: none where there are no endpoints, none of a replay. */
const insertDeliveries = writeKind(
  { id, type, facts, createdAt },
  (input) => `insert into webhook_deliveries
      (endpoint_id, id, type, turn_id, session_id, parent_turn_id, facts, next_at, created_at)
    select endpoint.id, input.id, input.type, input.fence_id, input.fence_session, input.fence_parent,
      input.facts, input."createdAt", input."createdAt"
    from ${input} input join webhook_endpoints endpoint on endpoint.principal_id = input.fence_principal
    where endpoint.enabled and (endpoint.events is null or input.type = any(endpoint.events))
      and not exists (select from sessions replay
        where replay.id = input.fence_session and replay.replay_of is not null)`,
);

/** Deliveries of events to webhooks: rows of the statement that stores the events. Pure. */
export function webhookWrites(turnId: string, events: readonly TurnEvent[]): StoreWrite[] {
  return events.flatMap((event) => {
    const note = webhookFacts(event);
    if (note === undefined) return [];
    const { attempt, seq, at } = event;
    return [
      insertDeliveries({
        // The event's own id: a retry of the statement, and every endpoint, has the same.
        id: `evt_${turnId.slice(turnId.indexOf('_') + 1)}_${attempt}_${seq}`,
        type: note.type,
        facts: { attempt, seq, ...note.facts },
        createdAt: new Date(at),
      }),
    ];
  });
}

/** Most characters of a reason, which a decision tree of an extension may have worded. */
const MAX_REASON_CHARS = 200;
/** Most approvals that a delivery names, so that its body stays below 20 kB; the turn has them all. */
const MAX_APPROVALS = 200;

interface WebhookNote {
  type: WebhookEvent;
  facts: Record<string, unknown>;
}

/** The event as webhooks have it: thin, as the receiver fetches what it wants to know. Undefined: not told. */
function webhookFacts(event: TurnEvent): WebhookNote | undefined {
  switch (event.type) {
    case 'turn.started':
      return { type: 'turn.started', facts: { agent: event.agent, model: event.model } };
    case 'turn.parked': {
      const approvalIds = event.approvalIds.slice(0, MAX_APPROVALS);
      return { type: 'turn.waiting', facts: { approvalIds } };
    }
    case 'approval.requested': {
      const { approvalId, kind, name, expiresAt, awaits } = event;
      const facts = { approvalId, kind, name, expiresAt, ...compact({ awaits }) };
      return { type: 'approval.requested', facts };
    }
    case 'turn.ended': {
      const { outcome, exitCode, durationMs } = event;
      const reason = cutText(event.reason, MAX_REASON_CHARS);
      return { type: 'turn.ended', facts: { outcome, exitCode, reason, durationMs } };
    }
    case 'approval.resolved':
    case 'attachment.rejected':
    case 'message.joined':
    case 'notice.posted':
    case 'source.cited':
    case 'step.discarded':
    case 'step.ended':
    case 'step.started':
    case 'subagent.ended':
    case 'subagent.started':
    case 'subagent.told':
    case 'text.delta':
    case 'thinking.delta':
    case 'tool.args.delta':
    case 'tool.ended':
    case 'tool.progress':
    case 'tool.requested':
    case 'tool.started':
    case 'turn.failed':
    case 'turn.queued':
    case 'turn.recovering':
      return undefined;
    default:
      return assertNever(event);
  }
}
