import { Inject, Injectable } from '@nestjs/common';
import { and, eq, sql, type SQL } from 'drizzle-orm';
import { assertNever } from '../../platform/assert-never.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { prepared } from '../../storage/prepared.js';
import { webhookDeliveries, webhookEndpoints } from '../../storage/webhook-schema.js';
import { chooseDue } from './choose-due.js';
import type { Outcome, TryResult } from './decide-outcome.js';
import type { SendableDelivery } from './delivery-poster.js';

/** Time after which a claimed delivery is sent again, in ms: its sender has died. Twice as long as any request. */
const LEASE_MS = 30_000;

/** A delivery that this process may send; `attempt` is the fence of its mark. */
export interface ClaimedDelivery extends SendableDelivery {
  endpointId: string;
  attempt: number;
  failures: number;
  /** Whether the endpoint's last try failed. */
  isFailing: boolean;
}

export interface ClaimLimits {
  /** Deliveries under way in this process, by their endpoint. */
  busy: ReadonlyMap<string, number>;
  /** Most deliveries to endpoints whose last try succeeded. */
  most: number;
  /** Most deliveries to endpoints whose last try failed. */
  mostFailing: number;
}

const claimDue = prepared((db) => {
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
    .prepare('claim_deliveries');
});

/** The outbox as a queue. Any number of processes may take from it. */
@Injectable()
export class DeliveryQueue {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Claims deliveries that are due, for `LEASE_MS`. */
  async claim({ busy, most, mostFailing }: ClaimLimits): Promise<ClaimedDelivery[]> {
    const now = this.clock.now();
    const claimed = await claimDue(this.db).execute({
      most,
      mostFailing,
      busyIds: [...busy.keys()],
      busyCounts: [...busy.values()],
      now: new Date(now).toISOString(),
      leaseUntil: new Date(now + LEASE_MS).toISOString(),
    });
    return claimed.map(({ delivery, endpoint }) => {
      const { url, secret, previousSecret, previousUntil } = endpoint;
      const signs = previousSecret !== null && (previousUntil?.getTime() ?? 0) > now;
      const previousSecrets = signs ? [previousSecret] : [];
      return {
        ...delivery,
        url,
        secret,
        previousSecrets,
        isFailing: endpoint.failingSince !== null,
      };
    });
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
