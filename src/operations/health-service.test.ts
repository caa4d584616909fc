import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { DrizzleQueryError } from 'drizzle-orm';
import { ManualClock } from '../../test/support/manual-clock.js';
import { newFolder } from '../../test/support/suite.js';
import { packageVersion } from '../platform/process/package-root.js';
import { checkReadiness, listDependencies, type Stores } from './dependencies.js';
import { HealthService, type HealthDeps } from './health-service.js';

const answers = async (): Promise<void> => undefined;
const never = (): Promise<never> => new Promise(() => undefined);
const fails = async (): Promise<never> => {
  throw new Error('down');
};

const commands = { kind: 'sandboxed', weaknesses: ['processors are not limited'] } as const;

function open(deps: Partial<HealthDeps> = {}) {
  const clock = new ManualClock();
  const service = new HealthService({
    dependencies: [{ name: 'database', label: 'PostgreSQL', ping: answers }],
    clock,
    agentName: 'WORKING_ITEMS',
    checkProvider: answers,
    checkAgent: answers,
    countActiveSessions: async () => 3,
    findCounts: async () => ({ schedule_late_seconds: 90 }),
    toolHook: () => undefined,
    commands,
    ...deps,
  });
  return { clock, service };
}

describe('HealthService', () => {
  it('is healthy when all it needs answers', async () => {
    expect(await open().service.health()).toEqual({
      status: 'healthy',
      agent_name: 'WORKING_ITEMS',
      agent_ready: true,
      active_sessions: 3,
      schedule_late_seconds: 90,
      uptime_seconds: expect.any(Number),
      version: packageVersion,
    });
  });

  it('says of the agent how commands run', async () => {
    const { service } = open();
    expect(await service.agentHealth()).toMatchObject({ status: 'healthy', commands });
    expect(await service.health()).not.toHaveProperty('commands');
  });

  it('is unhealthy when the database fails, and counts nothing', async () => {
    const { service } = open({
      dependencies: [{ name: 'database', label: 'PostgreSQL', ping: fails }],
      countActiveSessions: fails,
      findCounts: fails,
    });
    const health = await service.health();
    expect(health.status).toBe('unhealthy');
    expect(health).not.toHaveProperty('active_sessions');
    expect(health).not.toHaveProperty('schedule_late_seconds');
  });

  it('stays healthy while the tool hook fails, and says so', async () => {
    const toolHook = { failures_in_row: 4, last_failure_at: '2026-11-23T18:00:00.000Z' };
    const { service } = open({ toolHook: () => toolHook });
    expect(await service.health()).toMatchObject({ status: 'healthy', tool_hook: toolHook });
  });

  it('is not ready, and healthy, where every turn would be refused', async () => {
    const { service } = open({ checkProvider: fails });
    expect(await service.readiness()).toEqual({
      ready: false,
      checks: { database: 'ok', provider: 'The provider does not answer' },
    });
    expect((await service.health()).status).toBe('healthy');
  });

  it('is not ready while it stops, and asks nobody', async () => {
    const { service } = open({
      dependencies: [{ name: 'database', label: 'PostgreSQL', ping: never }],
    });
    service.noteStop();
    expect(await service.readiness()).toEqual({ ready: false, checks: { process: 'stopping' } });
  });

  it('distinguishes a faulty agent from a faulty process', async () => {
    const { service } = open({ checkAgent: fails });
    expect(await service.health()).toMatchObject({ status: 'healthy', agent_ready: false });
    expect(await service.agentHealth()).toMatchObject({ status: 'unhealthy', agent_ready: false });
  });

  it('goes by what it found last when an answer is late, and waits where that is long ago', async () => {
    let ping: () => Promise<void> = answers;
    const { service, clock } = open({
      dependencies: [{ name: 'queue', label: 'PostgreSQL', ping: () => ping() }],
    });
    await service.health();
    ping = never;
    const late = service.health();
    await clock.advance(75);
    expect((await late).status).toBe('healthy');
    await clock.advance(10_000);
    const later = service.health();
    await clock.advance(75);
    expect((await later).status).toBe('unhealthy');
  });
});

describe('listDependencies', () => {
  const stores = (config: Partial<Stores['config']>, ping = answers): Stores => ({
    database: { ping },
    queue: { ping: answers },
    log: { ping: answers },
    config: {
      databaseUrl: undefined,
      dataDir: newFolder(),
      blobDir: undefined,
      s3Url: undefined,
      ...config,
    },
    clock: new ManualClock(),
  });
  const ready = { database: 'ok', queue: 'ok', log: 'ok' };

  it('writes to each folder that the process has, and leaves nothing there', async () => {
    const [dataDir, blobDir] = [
      newFolder(),
      path.join(newFolder(), 'made', 'with', 'the', 'first'),
    ];
    const dependencies = listDependencies(stores({ dataDir, blobDir }));
    const found = await checkReadiness(dependencies);
    expect(found).toEqual({ ready: true, checks: { ...ready, disk: 'ok' } });
    expect([readdirSync(dataDir), readdirSync(blobDir)]).toEqual([[], []]);
    const distributed = listDependencies(stores({ databaseUrl: 'postgres://x' }));
    expect(await checkReadiness(distributed)).toEqual({ ready: true, checks: ready });
  });

  it('says which store is full or read-only, and not where it is', async () => {
    const full = async (): Promise<never> => {
      const cause = new Error('could not extend file "base/5/1": No space left on device');
      throw new DrizzleQueryError('select 1', [], cause);
    };
    // A file where a folder should be: nothing can be written below it.
    const file = path.join(newFolder(), 'file');
    writeFileSync(file, '');
    const dependencies = listDependencies(stores({ dataDir: path.join(file, 'data') }, full));
    expect(await checkReadiness(dependencies)).toEqual({
      ready: false,
      checks: {
        ...ready,
        database: 'The embedded database is full',
        disk: 'The disk does not answer (ENOTDIR)',
      },
    });
  });
});

describe('checkReadiness', () => {
  const ok = { name: 'database', label: 'PostgreSQL', ping: async () => undefined };

  it('is ready when everything answers', async () => {
    expect(await checkReadiness([ok])).toEqual({ ready: true, checks: { database: 'ok' } });
  });

  it('says what does not answer, without statements and addresses', async () => {
    const broken = {
      name: 'queue',
      label: 'PostgreSQL',
      ping: async () => {
        const refused = new Error('connect ECONNREFUSED 10.0.0.7:5432');
        throw new DrizzleQueryError(
          'select 1',
          [],
          Object.assign(refused, { code: 'ECONNREFUSED' }),
        );
      },
    };
    const silent = {
      name: 'log',
      label: 'PostgreSQL',
      ping: () => new Promise<void>(() => undefined),
    };
    expect(await checkReadiness([ok, broken, silent], 20)).toEqual({
      ready: false,
      checks: {
        database: 'ok',
        queue: 'PostgreSQL does not answer (ECONNREFUSED)',
        log: 'PostgreSQL did not answer in 20 ms',
      },
    });
  });
});
