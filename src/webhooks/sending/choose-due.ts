import { sql, type SQL } from 'drizzle-orm';

/** Most requests of one process to an endpoint at a time; to one whose last try failed, a single one. */
const mostOfEndpoint = sql.raw('4');
const mostOfFailing = sql.raw('1');

/**
 * The deliveries that are due, locked for the caller: of each endpoint as many as it may have under way, the oldest
 * first. Endpoints that fail have a share of their own, so that none waits for them.
 *
 * Costs by the endpoints that have something to be sent, not by their deliveries: the index leads from one to the
 * next. Placeholders: `now`, `busyIds`, `busyCounts`, `most`, `mostFailing`.
 */
export function chooseDue(): SQL {
  const now = sql`${sql.placeholder('now')}::timestamptz`;
  return sql`
    with recursive waiting (endpoint_id) as (
      (select endpoint_id from webhook_deliveries where status = 'pending' order by 1 limit 1)
      union all
      select next.endpoint_id from waiting cross join lateral (
        select endpoint_id from webhook_deliveries
        where status = 'pending' and endpoint_id > waiting.endpoint_id
        order by 1 limit 1) next
    ),
    open as (
      select endpoint.id, endpoint.failing_since is not null as is_failing,
        case when endpoint.failing_since is null then ${mostOfEndpoint} else ${mostOfFailing} end
          - coalesce(busy.requests, 0) as room
      from waiting
      join webhook_endpoints endpoint on endpoint.id = waiting.endpoint_id
      left join unnest(${sql.placeholder('busyIds')}::text[], ${sql.placeholder('busyCounts')}::integer[])
        busy (id, requests) on busy.id = endpoint.id
      where endpoint.enabled and (endpoint.paused_until is null or endpoint.paused_until <= ${now})
    ),
    due as (
      select open.is_failing, delivery.endpoint_id, delivery.id, delivery.next_at
      from open cross join lateral (
        select endpoint_id, id, next_at from webhook_deliveries
        where status = 'pending' and endpoint_id = open.id and next_at <= ${now}
        order by next_at limit greatest(open.room, 0)
        for no key update skip locked) delivery
    )
    (select endpoint_id, id from due where not is_failing
      order by next_at limit ${sql.placeholder('most')}::integer)
    union all
    (select endpoint_id, id from due where is_failing
      order by next_at limit ${sql.placeholder('mostFailing')}::integer)`;
}
