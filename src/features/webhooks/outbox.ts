import { Inject, Injectable } from '@nestjs/common';
import { and, eq, sql, type SQL } from 'drizzle-orm';
import { SecretVault } from '../../access/face.js';
import { assertNever, type Clock, CLOCK } from '../../platform/face.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { prepared } from '../../storage/statements.js';
import { webhookDeliveries, webhookEndpoints } from '../../storage/automation-schema.js';
import type { Outcome, TryResult } from './decide-outcome.js';
import type { DeliveryEvent, DeliverySecrets } from './delivery-poster.js';
import type { EndpointRow } from './webhook.dto.js';

/** Time after which a claimed delivery is sent again, in ms: its sender has died. Twice as long as any request. */
const LEASE_MS = 30_000;

/** A delivery that this process may send; `attempt` is the fence of its mark. */
export interface ClaimedDelivery extends DeliveryEvent {
  endpointId: string;
  url: string;
  /** The endpoint's secret, and that before it while it signs, as they are stored. */
  sealed: Pick<EndpointRow, 'principalId' | 'secret' | 'previousSecret'>;
  attempt: number;
  failures: number;
  /** Whether the endpoint's last try failed. */
  isFailing: boolean;
}

export interface ClaimLimits {
  /** Deliveries under way in this process, by their endpoint. */
  busy: ReadonlyMap<string, number>;
  /** Most deliveries to endpoints whose last try succeeded. */
  maxHealthy: number;
  /** Most deliveries to endpoints whose last try failed. */
  maxFailing: number;
}

const claimDue = prepared('claim_deliveries', (db, name) => {
  const { endpointId, id, attempt } = webhookDeliveries;
  const chosen = db.$with('chosen', { endpointId, id }).as(chooseDue());
  return db
    .with(chosen)
    .update(webhookDeliveries)
    .set({
      attempt: sql`${attempt} + 1`,
      nextAt: sql`${sql.placeholder('leaseUntil')}::timestamptz`,
      triedAt: sql`${sql.placeholder('now')}::timestamptz`,
    })
    .from(webhookEndpoints)
    .where(
      and(
        sql`(${endpointId}, ${id}) in (select chosen.endpoint_id, chosen.id from chosen)`,
        eq(webhookEndpoints.id, endpointId),
      ),
    )
    .returning({ delivery: webhookDeliveries, endpoint: webhookEndpoints })
    .prepare(name);
});

/** The outbox as a queue. Any number of processes may take from it. */
@Injectable()
export class DeliveryQueue {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly vault: SecretVault,
  ) {}

  /** Claims deliveries that are due, for `LEASE_MS`. */
  async claim({ busy, maxHealthy, maxFailing }: ClaimLimits): Promise<ClaimedDelivery[]> {
    const now = this.clock.now();
    const claimed = await claimDue(this.db).execute({
      maxHealthy,
      maxFailing,
      busyIds: [...busy.keys()],
      busyCounts: [...busy.values()],
      now: new Date(now).toISOString(),
      leaseUntil: new Date(now + LEASE_MS).toISOString(),
    });
    return claimed.map(({ delivery, endpoint }) => {
      const { url, principalId, secret, previousUntil } = endpoint;
      const signs = (previousUntil?.getTime() ?? 0) > now;
      const previousSecret = signs ? endpoint.previousSecret : null;
      return {
        ...delivery,
        url,
        sealed: { principalId, secret, previousSecret },
        isFailing: endpoint.failingSince !== null,
      };
    });
  }

  /** Opens the secrets that sign a delivery. @throws TypedError SECRET_UNREADABLE 500. */
  async openSecrets({ endpointId: row, sealed }: ClaimedDelivery): Promise<DeliverySecrets> {
    const { principalId, secret, previousSecret } = sealed;
    const at = { column: webhookEndpoints.secret, row, principalId };
    const before = { ...at, column: webhookEndpoints.previousSecret };
    const previous = previousSecret === null ? [] : [await this.vault.open(previousSecret, before)];
    return { secret: await this.vault.open(secret, at), previousSecrets: previous };
  }

  /**
   * Stores what came of a try, unless another sender has claimed the delivery since.
   *
   * @returns whether it was stored.
   */
  async mark(
    { endpointId, id, attempt }: ClaimedDelivery,
    result: TryResult,
    outcome: Outcome,
  ): Promise<boolean> {
    const now = new Date(this.clock.now());
    const [httpStatus, response] =
      result.type === 'answered' ? [result.status, result.body] : [null, null];
    const marked = this.db.$with('marked').as(
      this.db
        .update(webhookDeliveries)
        .set({ httpStatus, response, ...changesOf(outcome, now) })
        .where(ofClaim({ endpointId, id, attempt }))
        .returning({ endpointId: webhookDeliveries.endpointId, id: webhookDeliveries.id }),
    );
    // A success changes nothing of an endpoint that does not fail.
    const changed = this.db.$with('changed').as(
      this.db
        .update(webhookEndpoints)
        .set(endpointChangesOf(outcome, now))
        .where(
          and(
            sql`${webhookEndpoints.id} in (select "endpoint_id" from "marked")`,
            outcome.type === 'delivered'
              ? sql`${webhookEndpoints.failingSince} is not null`
              : undefined,
          ),
        )
        .returning({ changedId: webhookEndpoints.id }),
    );
    const stored = await this.db.with(marked, changed).select({ id: marked.id }).from(marked);
    return stored.length > 0;
  }

  /** Gives a delivery back whose request was broken off: the next sender takes it at once. */
  async release({ endpointId, id, attempt }: ClaimedDelivery): Promise<void> {
    await this.db
      .update(webhookDeliveries)
      .set({ nextAt: new Date(this.clock.now()) })
      .where(ofClaim({ endpointId, id, attempt }));
  }
}

function ofClaim({
  endpointId,
  id,
  attempt,
}: Pick<ClaimedDelivery, 'endpointId' | 'id' | 'attempt'>): SQL | undefined {
  return and(
    eq(webhookDeliveries.endpointId, endpointId),
    eq(webhookDeliveries.id, id),
    eq(webhookDeliveries.attempt, attempt),
  );
}

function changesOf(outcome: Outcome, now: Date) {
  const failures = sql`${webhookDeliveries.failures} + 1`;
  switch (outcome.type) {
    case 'delivered':
      return { status: 'delivered' as const, error: null, endedAt: now };
    case 'retry':
      return {
        failures,
        error: outcome.reason,
        nextAt: new Date(now.getTime() + outcome.delayMs),
      };
    case 'dead':
    case 'gone':
      return { status: 'dead' as const, failures, error: outcome.reason, endedAt: now };
    default:
      return assertNever(outcome);
  }
}

function endpointChangesOf(outcome: Outcome, now: Date) {
  if (outcome.type === 'delivered') return { failingSince: null, pausedUntil: null };
  const failing = {
    failingSince: sql`coalesce(${webhookEndpoints.failingSince}, ${now.toISOString()}::timestamptz)`,
  };
  if (outcome.type === 'gone') {
    return { ...failing, enabled: false, disabledReason: 'gone' as const };
  }
  const { pauseMs } = outcome;
  return pauseMs === undefined
    ? failing
    : { ...failing, pausedUntil: new Date(now.getTime() + pauseMs) };
}

/** Most requests of one process to an endpoint at a time; to one whose last try failed, a single one. */
const MAX_PER_ENDPOINT = sql.raw('4');
const MAX_PER_FAILING_ENDPOINT = sql.raw('1');

/**
 * The deliveries that are due, locked for the caller: of each endpoint as many as it may have under way, the oldest
 * first. Endpoints that fail have a share of their own, so that none waits for them.
 *
 * The cost grows with the endpoints that have deliveries, not with the deliveries: the index leads from one endpoint to
 * the next. Placeholders: `now`, `busyIds`, `busyCounts`, `maxHealthy`, `maxFailing`.
 */
function chooseDue(): SQL {
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
    eligible as (
      select endpoint.id, endpoint.failing_since is not null as is_failing,
        case when endpoint.failing_since is null then ${MAX_PER_ENDPOINT}
          else ${MAX_PER_FAILING_ENDPOINT} end - coalesce(in_flight.requests, 0) as capacity
      from waiting
      join webhook_endpoints endpoint on endpoint.id = waiting.endpoint_id
      left join unnest(${sql.placeholder('busyIds')}::text[], ${sql.placeholder('busyCounts')}::integer[])
        in_flight (id, requests) on in_flight.id = endpoint.id
      where endpoint.enabled and (endpoint.paused_until is null or endpoint.paused_until <= ${now})
    ),
    due as (
      select eligible.is_failing, delivery.endpoint_id, delivery.id, delivery.next_at
      from eligible cross join lateral (
        select endpoint_id, id, next_at from webhook_deliveries
        where status = 'pending' and endpoint_id = eligible.id and next_at <= ${now}
        order by next_at limit greatest(eligible.capacity, 0)
        for no key update skip locked) delivery
    )
    (select endpoint_id, id from due where not is_failing
      order by next_at limit ${sql.placeholder('maxHealthy')}::integer)
    union all
    (select endpoint_id, id from due where is_failing
      order by next_at limit ${sql.placeholder('maxFailing')}::integer)`;
}
