import { describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { expectWhole } from '../support/clients/expect-whole.js';
import { parseSamples, valueOf } from '../support/metrics/scrape.js';
import { useDeployment } from '../support/processes/start-deployment.js';
import type { ServerProcess } from '../support/processes/start-process.js';

/** Turns are left to the worker that they prefer for an hour: how slow the machine is does not count. */
const leaveForAnHour = sql`
  create function leave_for_an_hour() returns trigger language plpgsql as $$
  begin
    new.preferred_until := new.preferred_until + interval '1 hour';
    return new;
  end $$;
  create trigger leave_for_an_hour before insert on turns
    for each row execute function leave_for_an_hour()`;

describe('a conversation on two workers', () => {
  const { deployment, database } = useDeployment();
  const endedAt = async ({ url }: ServerProcess): Promise<number> => {
    const samples = parseSamples(await (await fetch(`${url}/metrics`)).text());
    return valueOf(samples, 'turnpike_turns_ended_total', { outcome: 'completed' }) ?? 0;
  };

  it('goes on at the worker that remembers it, and at the other once that is dead', async () => {
    const [api, first] = await Promise.all([deployment.start('api'), deployment.start('worker')]);
    const sessionId = await api.client.createSession(deployment.projectRoot);
    const run = async () => (await api.client.turn(sessionId, 'Next')).all();
    await run();
    const second = await deployment.start('worker');
    await database.db.execute(leaveForAnHour);
    for (let turn = 0; turn < 20; turn += 1) await run();
    expect(await endedAt(second)).toBe(0);
    await database.db.execute(sql`drop trigger leave_for_an_hour on turns`);
    await first.kill('SIGKILL');
    expectWhole(await run());
    expect(await endedAt(second)).toBeGreaterThan(0);
  });
});
