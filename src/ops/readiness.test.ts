import { describe, expect, it } from '@jest/globals';
import { DrizzleQueryError } from 'drizzle-orm';
import { checkReadiness } from './health-service.js';

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
