import { beforeAll, describe, expect, it } from '@jest/globals';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import { makeKey } from '../../support/clients/keyed-client.js';
import { expectSoon } from '../../support/expect-soon.js';
import type { Ended } from '../../support/processes/run-program.js';
import { runTurnpike } from '../../support/processes/run-turnpike.js';
import { useServer } from '../../support/processes/start-server.js';

describe('schedules, from the command line and the typed client', () => {
  let key: string;
  const server = useServer();
  beforeAll(async () => {
    key = (await makeKey(server, { principal: 'alice' })).secret;
  });

  const turnpike = (...args: string[]): Promise<Ended> =>
    runTurnpike(['schedules', ...args], {
      environment: { TURNPIKE_URL: server.url, TURNPIKE_API_KEY: key },
    });

  it('are put, shown, triggered, paused, resumed and removed', async () => {
    expect(await turnpike('list')).toMatchObject({ code: 0, stderr: 'There are none.\n' });
    const definition = ['--cron', '0 9 * * 1', '--tz', 'Europe/Berlin', '--message', 'Report'];
    const put = await turnpike('put', 'weekly', ...definition, '--opts', '{"maxTurns":2}');
    expect(put.stdout).toMatch(
      /^SCHEDULE .*\nweekly +0 9 \* \* 1 +Europe\/Berlin +\S+ 0[78]:00 +new session +"Report"\n$/,
    );
    expect((await turnpike('list')).stdout).toBe(put.stdout);
    const taken = await turnpike('create', 'weekly', ...definition);
    expect([taken.code, taken.stderr]).toEqual([1, expect.stringMatching(/^SCHEDULE_EXISTS: /)]);
    const upcoming = await turnpike('upcoming', 'weekly', '--limit', '2');
    expect(upcoming.stdout).toMatch(
      /^TIME \(Europe\/Berlin\) +TIME \(UTC\)\n(\S+ 09:00 +\S+ 0[78]:00\n){2}$/,
    );
    expect((await turnpike('trigger', 'weekly')).stdout).toMatch(/ triggered +turn_/);
    await expectSoon(async () =>
      expect((await turnpike('runs', 'weekly')).stdout).toMatch(/ turn_\S+ +completed\n$/),
    );
    expect((await turnpike('pause', 'weekly')).stdout).toContain('paused: requested');
    const resumed = await turnpike('resume', 'weekly', '--json');
    expect(JSON.parse(resumed.stdout)).toMatchObject({ key: 'weekly', opts: { maxTurns: 2 } });
    expect((await turnpike('remove', 'weekly')).stdout).toBe('weekly is removed.\n');
    const gone = await turnpike('show', 'weekly');
    expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining("no schedule 'weekly'")]);
    expect((await turnpike('put', 'weekly')).code).toBe(2);
  });

  it('are changed and triggered once by the typed client', async () => {
    const { schedules } = new TurnpikeClient({ url: server.url, key });
    const times = { cron: '*/5 * * * *', tz: 'UTC' };
    await schedules.put('often', { ...times, session: 'new', message: 'Hello' });
    expect(await schedules.change('often', { message: 'Other' })).toMatchObject({
      ...times,
      message: 'Other',
    });
    const once = { idempotencyKey: 'once' };
    const [one, two] = [
      await schedules.trigger('often', once),
      await schedules.trigger('often', once),
    ];
    expect(two.turnId).toBe(one.turnId);
    expect((await schedules.runs('often')).runs).toHaveLength(1);
    expect(await schedules.upcoming('often', 4)).toHaveLength(4);
    expect((await schedules.list()).map((one) => one.key)).toEqual(['often']);
    await schedules.delete('often');
    await expect(schedules.get('often')).rejects.toThrow("no schedule 'often'");
  });
});
