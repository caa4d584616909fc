import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { DrizzleQueryError } from 'drizzle-orm';
import { ManualClock } from '../../test/support/manual-clock.js';
import type { LogFields, Logger } from '../platform/logger.js';
import { Outages } from './outages.js';

const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), {
  code: 'ECONNREFUSED',
});
const failed = new DrizzleQueryError('select id from turns', [], refused);

describe('Outages', () => {
  let clock: ManualClock;
  let lines: string[];
  let answers: { PostgreSQL: Error | undefined; Redis: Error | undefined };
  let outages: Outages;
  let logger: Logger;
  beforeEach(() => {
    clock = new ManualClock();
    lines = [];
    answers = { PostgreSQL: undefined, Redis: undefined };
    const at = (level: string) => (fields: LogFields, message: string) =>
      void lines.push([level, message, fields['reason']].join(' ').trim());
    const all: Logger = {
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      child: () => all,
    };
    outages = new Outages(all, clock);
    logger = outages.log();
    const ping = (label: keyof typeof answers) => async (): Promise<void> => {
      const fault = answers[label];
      if (fault !== undefined) throw fault;
    };
    outages.watch([
      { name: 'database', label: 'PostgreSQL', ping: ping('PostgreSQL') },
      { name: 'queue', label: 'Redis', ping: ping('Redis') },
      { name: 'log', label: 'Redis', ping: ping('Redis') },
    ]);
  });
  const said = (): string[] => lines.filter((line) => !line.startsWith('debug'));

  it('says once that a service is away, and once that it is back', async () => {
    answers.PostgreSQL = failed;
    for (let second = 0; second < 25; second += 1) {
      logger.warn({ error: failed }, 'the sweeper failed; it tries again in half a second');
      logger
        .child({})
        .error(
          { error: failed },
          'could not claim queued turns; the sweeper wakes the worker again',
        );
      await yieldToEventLoop();
      await clock.advance(1_000);
    }
    answers.PostgreSQL = undefined;
    await clock.advance(1_000);
    expect(said()).toEqual([
      'warn PostgreSQL does not answer or takes no writes; requests that need it wait or get 503 or 507 until it does. No accepted turn is lost connect ECONNREFUSED 127.0.0.1:5432',
      'info PostgreSQL is back after 26 s',
    ]);
    expect(
      lines.filter(
        (line) => line === 'debug could not claim queued turns; the sweeper wakes the worker again',
      ),
    ).toHaveLength(25);
    expect(clock.pending).toBe(0);
  });

  it('tells each service that is away, and those alone', async () => {
    answers.Redis = new Error('Connection is closed.');
    logger.warn({ service: 'Redis', error: refused }, 'Redis does not answer');
    await yieldToEventLoop();
    answers.PostgreSQL = failed;
    await clock.advance(1_000);
    expect(said().map((line) => line.split(';')[0])).toEqual([
      'warn Redis does not answer or takes no writes',
      'warn PostgreSQL does not answer or takes no writes',
    ]);
  });

  it('says that a connection broke, once a minute, where the service answers', async () => {
    for (let count = 0; count < 5; count += 1) {
      logger.warn({ error: failed }, 'the sweeper failed; it tries again in half a second');
      await yieldToEventLoop();
    }
    expect(said()).toEqual([
      expect.stringMatching(/^warn a connection broke, but its service answers/),
    ]);
  });

  it('leaves other lines as they are, of a provider that refuses connections too', async () => {
    logger.warn({ error: refused }, 'the provider could not describe a model');
    logger.error({ error: new Error('a fault') }, 'it failed');
    logger.info({}, 'as usual');
    await yieldToEventLoop();
    expect(lines).toEqual([
      'warn the provider could not describe a model',
      'error it failed',
      'info as usual',
    ]);
  });

  it('says nothing of what a stop takes away', async () => {
    outages.stop();
    logger.warn({ error: failed }, 'the sweeper failed; it tries again in half a second');
    await yieldToEventLoop();
    expect(said()).toEqual([]);
  });
});
