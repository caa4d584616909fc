import { sql, type SQL } from 'drizzle-orm';
import { Batcher } from '../../platform/async/batcher.js';
import type { Database } from '../../storage/connection.js';
import { isDatabaseDown } from '../../storage/database-errors.js';
import { batchPool, ofDatabase, prepared } from '../../storage/statements.js';
import type { AttachmentRef, StoredPart } from '../../storage/shapes/stored-step.js';
import type { ToolCallStatus } from '../../storage/shapes/stored-turn.js';
import { turns } from '../../storage/schema.js';
import { sessionChange } from '../../governance/notices/triggers/conversation.js';
import type { NoticeRow, SteeredMessage, StepRow } from './stored-turn.js';
import type { TurnRow } from './turn-row.js';

/** An ended turn, as the requests of later turns use it. It is never changed, because workers keep it between turns. */
export interface PastTurn {
  turn: PastTurnFacts;
  userParts: readonly StoredPart[];
  steps: readonly PastStep[];
  calls: readonly PastCall[];
  /** Notices in the order in which they were posted. */
  notices: readonly PastNotice[];
  /** Messages that were steered into the turn, in order. */
  steered: readonly SteeredText[];
}

export interface PastTurnFacts extends Pick<
  TurnRow,
  'id' | 'status' | 'endReason' | 'failure' | 'leftOut' | 'elidedThrough' | 'copiedFrom' | 'usage'
> {
  /** The model of its last call. */
  model: string;
}

type PastStep = Pick<StepRow, 'step' | 'parts' | 'stopReason' | 'usage' | 'sent'>;
export interface PastNotice extends Pick<
  NoticeRow,
  'afterStep' | 'mark' | 'kind' | 'text' | 'seenByModel'
> {
  /** Of an announcement of a session's change: what it announced. Null for any other notice. */
  announced: unknown;
}
type SteeredText = Pick<SteeredMessage, 'afterStep' | 'text'>;

/** A tool call of a past turn with its result. */
export interface PastCall {
  callId: string;
  status: ToolCallStatus;
  output: string | null;
  /** Files of the output; null: none. */
  files: readonly AttachmentRef[] | null;
}

/**
 * Loads the ended turns of a session that were not superseded, oldest first. Sessions that are asked for at the same
 * moment share a statement.
 *
 * @param before turns without a step are left out unless they ended by then. Default: none is left out.
 */
export async function loadPastTurns(
  db: Database,
  sessionId: string,
  before: Date | null = null,
): Promise<PastTurn[]> {
  const rows = await pastTurnLoader(db).add(sessionId);
  const isBefore = ({ steps, endedAt: at }: PastRow): boolean =>
    steps.length > 0 || before === null || (at !== null && at <= before);
  return rows.filter(isBefore).map(toPastTurn);
}

const pastTurnLoader = ofDatabase(
  (db) =>
    new Batcher(async (sessionIds: readonly string[]): Promise<PastRow[][]> => {
      const rows = await selectPastTurns(batchPool(db)).execute({ sessionIds: [...sessionIds] });
      const bySession = Map.groupBy(rows, (row) => row.sessionId);
      return sessionIds.map((one) => bySession.get(one) ?? []);
    }, isDatabaseDown),
);

const facts = {
  id: turns.id,
  sessionId: turns.sessionId,
  status: turns.status,
  endReason: turns.endReason,
  failure: turns.failure,
  leftOut: turns.leftOut,
  elidedThrough: turns.elidedThrough,
  copiedFrom: turns.copiedFrom,
  usage: turns.usage,
  endedAt: turns.endedAt,
};

/** The rows of a turn in a table as one list. `json` keeps texts, and the order of keys, as they were stored. */
const listOf = <T>(table: string, fields: string, order: string) =>
  sql.raw(`(select coalesce(json_agg(json_build_object(${fields}) order by ${order}), '[]')
    from ${table} rows where rows.turn_id = turns.id)`) as SQL<T[]>;

const selectPastTurns = prepared('select_past_turns', (db, name) =>
  db
    .select({
      ...facts,
      model: sql<string>`turns.options #>> '{options,model}'`,
      userParts: sql<StoredPart[]>`coalesce((select messages.parts from messages
        where messages.turn_id = turns.id and messages.role = 'user'), '[]')`,
      steps: listOf<PastStep>(
        'steps',
        `'step', step, 'parts', parts, 'stopReason', stop_reason, 'usage', usage, 'sent', sent`,
        'step',
      ),
      calls: listOf<PastCall>(
        'tool_calls',
        `'callId', call_id, 'status', status, 'output', output, 'files', files`,
        'step, call_id collate "C"',
      ),
      notices: listOf<PastNotice>(
        'notices',
        `'afterStep', after_step, 'mark', mark, 'kind', kind, 'text', text, 'seenByModel', seen_by_model,
          'announced', case when kind = '${sessionChange.id}' and seen_by_model then metadata end`,
        'after_step, position',
      ),
      steered: listOf<SteeredText | { afterStep: null }>(
        'joined_messages',
        `'afterStep', after_step, 'text', text`,
        'after_step, position',
      ),
    })
    .from(turns)
    .where(
      sql`${turns.sessionId} = any (${sql.placeholder('sessionIds')}::text[])
        and ${turns.supersededBy} is null and ${turns.endedAt} is not null`,
    )
    .orderBy(turns.createdAt, turns.id)
    .prepare(name),
);

type PastRow = Awaited<ReturnType<ReturnType<typeof selectPastTurns>['execute']>>[number];

function toPastTurn({ sessionId: _session, endedAt: _endedAt, ...row }: PastRow): PastTurn {
  const { userParts, steps, calls, notices, steered, ...turn } = row;
  const delivered = steered.filter((one): one is SteeredText => one.afterStep !== null);
  return { turn, userParts, steps, calls, notices, steered: delivered };
}
