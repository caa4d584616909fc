import { sql } from 'drizzle-orm';
import { isPlainObject } from '../../platform/json.js';
import type { Queryable } from '../../storage/connection.js';

export interface Choice {
  /** Turns to choose. */
  most: number;
  /** Queued turns that were chosen a moment ago: they count as running. */
  taken: readonly string[];
}

/** The index's own expression, to the letter: the planner uses the index for no other. */
const isBackground = sql`(coalesce(options -> 'options' ->> 'priority', '') = 'background')`;

/**
 * The queued turns that are to run next: normal ones before those in the background, then of the
 * principals with the fewest turns that run, then the oldest. Each that is chosen counts as running
 * for the next.
 *
 * Costs by the principals that wait, not by their turns: from one the index leads to the next.
 *
 * @returns their ids, in that order; fewer where fewer wait.
 */
export async function chooseFairly(db: Queryable, { most, taken }: Choice): Promise<string[]> {
  const chosen = sql`${sql.param([...taken])}::text[]`;
  const { rows } = await db.execute(sql`
    with recursive line (is_background, principal_id) as (
      select kind.is_background, first.principal_id
      from (values (false), (true)) kind (is_background) cross join lateral (
        select principal_id from turns
        where status = 'queued' and ${isBackground} = kind.is_background
        order by 1 limit 1) first
      union all
      select line.is_background, next.principal_id from line cross join lateral (
        select principal_id from turns
        where status = 'queued' and ${isBackground} = line.is_background
          and principal_id > line.principal_id
        order by 1 limit 1) next
    ),
    busy as (
      select principal_id, count(*) as running from (
        -- A turn that waits for its subagents has no slot on a worker: they have.
        select principal_id from turns parent
        where status = 'running' and lease_until > now() and not exists (
          select 1 from turns child where child.parent_turn_id = parent.id
            and child.status in ('queued', 'running', 'waiting'))
        union all
        select principal_id from turns where id = any(${chosen}) and status = 'queued'
      ) occupied group by principal_id
    )
    select turn.id from line
    left join busy on busy.principal_id = line.principal_id
    cross join lateral (
      select id, created_at from turns
      where status = 'queued' and ${isBackground} = line.is_background
        and principal_id = line.principal_id and not id = any(${chosen})
      order by created_at limit ${most}) turn
    order by line.is_background,
      coalesce(busy.running, 0) + row_number() over (
        partition by line.principal_id order by line.is_background, turn.created_at),
      turn.created_at, turn.id
    limit ${most}`);
  return rows.flatMap((row) => (isPlainObject(row) ? [String(row['id'])] : []));
}
