import { sql, type Placeholder, type SQL } from 'drizzle-orm';

type Value<T> = Placeholder | T;

/** The index's own expression, to the letter: the planner uses the index for no other. */
const isBackground = sql`(coalesce(options -> 'options' ->> 'priority', '') = 'background')`;

/** Turns of a principal that other workers may lock in this moment. A constant of the statement: see `claimTurns`. */
const maxLocked = sql.raw('32');

/** Time that a queued turn is left to the worker that may remember its conversation, in ms. */
export const PREFERENCE_MS = 50;

/**
 * The turns that are to run next: those that lost their worker or go on after a question, then queued ones, normal
 * before background, then of the principals with the fewest turns that run, then the oldest. Each that is ranked counts
 * as running for the next.
 *
 * Costs by the principals that wait, not by their turns: from one the index leads to the next.
 *
 * Leaves out turns that prefer another worker in this moment.
 *
 * The server sees `most` through a subquery: it would plan the statement each time for its value.
 *
 * @param most turns that are taken from among them.
 * @param worker name of the worker that claims; null: it has none.
 * @returns rows, of one column `id`, in that order; more than `most`, as some may be locked.
 */
function rankFairly(most: Value<number>, worker: Value<string | null>): SQL {
  return sql`
    with recursive waiting (is_background, principal_id) as (
      select kind.is_background, first.principal_id
      from (values (false), (true)) kind (is_background) cross join lateral (
        select principal_id from turns
        where status = 'queued' and ${isBackground} = kind.is_background
        order by 1 limit 1) first
      union all
      select waiting.is_background, next.principal_id from waiting cross join lateral (
        select principal_id from turns
        where status = 'queued' and ${isBackground} = waiting.is_background
          and principal_id > waiting.principal_id
        order by 1 limit 1) next
    ),
    running_counts as (
      -- A turn that waits for its subagents has no slot on a worker: they have.
      select principal_id, count(*) as running from turns parent
      where status = 'running' and lease_until > now() and not exists (
        select 1 from turns child where child.parent_turn_id = parent.id
          and child.status in ('queued', 'running', 'waiting'))
        -- One principal alone needs no comparison.
        and (select count(distinct principal_id) from waiting) > 1
      group by principal_id
    ),
    candidate as (
      (select id, 0 as tier, 0 as load, created_at from turns
        where status = 'running' and (lease_until is null or lease_until < now())
        order by created_at limit (select ${most}::integer) + ${maxLocked})
      union all
      select turn.id, case when waiting.is_background then 2 else 1 end,
        coalesce(running_counts.running, 0) + row_number() over (
          partition by waiting.principal_id order by waiting.is_background, turn.created_at),
        turn.created_at
      from waiting
      left join running_counts on running_counts.principal_id = waiting.principal_id
      cross join lateral (
        select id, created_at from turns
        where status = 'queued' and ${isBackground} = waiting.is_background
          and principal_id = waiting.principal_id
          and (preferred_until is null or preferred_until < now()
            or preferred_worker = (select ${worker}::text))
        order by created_at limit (select ${most}::integer) + ${maxLocked}) turn
    )
    select id from candidate order by tier, load, created_at, id`;
}

/**
 * The turns that are to run next, locked for the caller. Locked turns are left out: somebody else is about to have them.
 *
 * @param most rows, of one column `id`; fewer where fewer wait.
 * @param worker name of the worker that claims; null: it has none.
 */
export function chooseFairly(most: Value<number>, worker: Value<string | null>): SQL {
  return sql`
    select locked.id
    from (${rankFairly(most, worker)}) ranked
    -- One by one in this order, until there are enough: a join would read the table for all of them.
    cross join lateral (
      select id from turns where turns.id = ranked.id for no key update skip locked) locked
    limit (select ${most}::integer)`;
}
