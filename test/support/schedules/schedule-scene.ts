import { expect } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { ScheduleTicker } from '../../../src/features/schedules/schedule-ticker.js';
import { schedules } from '../../../src/storage/automation-schema.js';
import { KeyedClient } from '../clients/keyed-client.js';
import { expectSoon } from '../expect-soon.js';
import type { TestServer } from '../processes/start-server.js';

export const MINUTE_MS = 60_000;

export interface Run {
  id: string;
  cause: string;
  slot: string;
  outcome: string;
  turnId: string | null;
  sessionId: string | null;
  turnStatus: string | null;
  error: { type: string; message: string } | null;
  missed: { count: number; until: string } | null;
}

/** A whole minute, some minutes before the last: a fire time of `* * * * *`. */
export function minutesAgo(minutes: number): Date {
  const now = Date.now();
  return new Date(now - (now % MINUTE_MS) - minutes * MINUTE_MS);
}

/** Schedules of a principal of a server, whose fire times come when the test says so. */
export class ScheduleScene {
  constructor(
    private readonly server: Pick<TestServer, 'url' | 'db' | 'get'>,
    private readonly secret?: string,
  ) {}

  call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const client = new KeyedClient(this.server.url, this.secret);
    return client.send(method, `/api/harness/schedules${path}`, body, headers);
  }

  async deleteSession(sessionId: string): Promise<void> {
    const client = new KeyedClient(this.server.url, this.secret);
    const { status } = await client.send('DELETE', `/api/harness/session/${sessionId}`);
    expect(status).toBe(200);
  }

  /** Puts a schedule in new sessions, whose own times are a year apart: the test says when a fire time comes. */
  async put(key: string, more: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const wanted = { cron: '0 0 1 1 *', tz: 'UTC', session: 'new', message: 'Hello', ...more };
    const { status, text, body } = await this.call('PUT', `/${key}`, wanted);
    expect([status, text]).toEqual([200, expect.anything()]);
    return body['schedule'] as Record<string, unknown>;
  }

  async get(key: string): Promise<Record<string, unknown>> {
    return (await this.call('GET', `/${key}`)).body['schedule'] as Record<string, unknown>;
  }

  /** Has a fire time come, as if it were its time. */
  async comes(key: string, fireAt = minutesAgo(0)): Promise<void> {
    await this.server.db
      .update(schedules)
      .set({ nextAt: fireAt, leasedUntil: null })
      .where(eq(schedules.key, key));
    this.server.get(ScheduleTicker).start();
  }

  /** The newest first. */
  async runs(key: string): Promise<Run[]> {
    return (await this.call('GET', `/${key}/runs`)).body['runs'] as Run[];
  }

  /** Waits for a number of runs. */
  async ran(key: string, count: number): Promise<Run[]> {
    await expectSoon(async () => expect(await this.runs(key)).toHaveLength(count));
    return this.runs(key);
  }

  /** Waits for the end of the newest run's turn. */
  async ended(key: string, status: string): Promise<Run> {
    await expectSoon(async () =>
      expect(await this.runs(key)).toMatchObject([{ turnStatus: status }]),
    );
    const [run] = await this.runs(key);
    if (run === undefined) throw new Error('There is no run');
    return run;
  }
}
