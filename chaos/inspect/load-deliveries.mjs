import { sleep } from '../load/world.mjs';
import { query } from './load-rows.mjs';

/** Milliseconds between two looks. */
const LOOK_MS = 500;

/** Milliseconds in which everything is sent: a dead sender's lease ends after 30 s. */
const SENT_MS = 50_000;

const pendingSql = `select count(*) as count from webhook_deliveries where status = 'pending'`;
/** Copies in forks ended in their source; people with page tokens have no webhooks. */
const endedSql = `select id, status from turns where ended_at is not null and copied_from is null
  and principal_id in (select principal_id from webhook_endpoints)`;
const deliveriesSql = `select id, type, turn_id, status, facts ->> 'outcome' as outcome
  from webhook_deliveries`;

/**
 * The outbox, once everything is sent or has had the time to be.
 *
 * @param {import('./load-rows.mjs').Pool} pool
 * @returns {Promise<import('../types.js').Outbox>}
 */
export async function loadDeliveries(pool) {
  const until = Date.now() + SENT_MS;
  const ask = (/** @type {string} */ sql) => query(pool, { sql, giveUpAt: until });
  while (Number((await ask(pendingSql))[0]?.['count']) > 0 && Date.now() < until) {
    await sleep(LOOK_MS);
  }
  const [ended, deliveries] = [await ask(endedSql), await ask(deliveriesSql)];
  return {
    ended: ended.map(({ id, status }) => ({ turnId: id, outcome: status })),
    deliveries: deliveries.map(({ id, type, turn_id: turnId, status, outcome }) => ({
      id,
      type,
      turnId,
      status,
      outcome: outcome ?? undefined,
    })),
  };
}
