import { sql } from 'drizzle-orm';
import { asksForOutput } from '../../options/option-rules.js';
import type { Database } from '../../storage/connection.js';
import { approvals } from '../../storage/governance-schema.js';
import { turnReaders, turns } from '../../storage/schema.js';
import type { OnBusy } from '../../storage/shapes/stored-options.js';
import { activeStatuses } from '../../storage/shapes/stored-turn.js';
import { hasStatus } from '../state/turn-row.js';
import type { TurnSubmission, WhenBusy } from './turn-submission.js';

/** The active turn of a session, as far as the policy depends on it. */
export interface ActiveTurn {
  /** Whether its end was asked for. */
  isStopping: boolean;
  /** Whether it, or a subagent, asks a person or the client. */
  isAsking: boolean;
  /** Whether anybody reads its stream. */
  isRead: boolean;
  /** Whether it ends when its readers leave. */
  endsWithReaders: boolean;
  /** Whether its own request said what becomes of it without readers. */
  saysSo: boolean;
}

/**
 * Chooses the policy of a request that names none. Clients of most wires can only stop a turn by leaving its
 * stream: a turn that nobody reads, and that asks nothing, was stopped. Pure.
 *
 * @param mayJoin whether the message may go into a turn: it has no files, and no output of its own.
 */
export function chooseBusyPolicy(
  { isStopping, isAsking, isRead, endsWithReaders, saysSo }: ActiveTurn,
  whenBusy: WhenBusy,
  mayJoin: boolean,
): OnBusy {
  if (isStopping) return 'enqueue';
  if (isAsking) {
    if (whenBusy === 'after-stopped') return 'reject';
    return whenBusy === 'beside' && mayJoin ? 'steer' : 'enqueue';
  }
  const endsByLeaving = endsWithReaders || (whenBusy !== 'after-stopped' && !saysSo);
  if (!isRead && endsByLeaving) return 'interrupt';
  return whenBusy === 'after-stopped' ? 'reject' : 'enqueue';
}

/** The policy of a request without `opts.onBusy`. */
export async function findBusyPolicy(db: Database, submission: TurnSubmission): Promise<OnBusy> {
  const { whenBusy, sessionId, opts, attachments, files = [] } = submission;
  if (whenBusy === undefined) return 'reject';
  const active = await findActive(db, sessionId, submission);
  // It has just ended: the message is held behind nothing.
  if (active === undefined) return 'enqueue';
  const mayJoin = attachments.length + files.length === 0 && !asksForOutput(opts);
  return chooseBusyPolicy(active, whenBusy, mayJoin);
}

async function findActive(
  db: Database,
  sessionId: string,
  { readerProcess = '', isReadHere = () => false }: TurnSubmission,
): Promise<ActiveTurn | undefined> {
  const { rows } = await db.execute(sql`
    with recursive active as (
      select id, options, cancel_requested_at from ${turns}
      where session_id = ${sessionId} and ${hasStatus(...activeStatuses)}),
    tree as (
      select id from active union
      select child.id from ${turns} child join tree on tree.id = child.parent_turn_id)
    select active.id, cancel_requested_at is not null as "isStopping",
      exists (select 1 from ${approvals} approval join tree on tree.id = approval.turn_id
        where approval.decision is null) as "isAsking",
      exists (select 1 from ${turnReaders} reader where reader.turn_id = active.id
        and reader.process_id <> ${readerProcess} and not reader.has_left
        and reader.until > now()) as "isReadElsewhere",
      options -> 'options' ->> 'onDisconnect' = 'cancel' as "endsWithReaders",
      options -> 'provenance' ->> 'onDisconnect' = 'opts' as "saysSo"
    from active`);
  const [row] = rows as ({ id: string; isReadElsewhere: boolean } & Omit<ActiveTurn, 'isRead'>)[];
  if (row === undefined) return undefined;
  const { id, isReadElsewhere, ...active } = row;
  return { ...active, isRead: isReadHere(id) || isReadElsewhere };
}
