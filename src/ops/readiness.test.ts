import { describe, expect, it } from '@jest/globals';
import { checkReadiness } from './readiness.js';

describe('checkReadiness', () => {
  const ok = { name: 'database', ping: async () => undefined };

  it('is ready when everything answers', async () => {
    expect(await checkReadiness([ok])).toEqual({ ready: true, checks: { database: 'ok' } });
  });

  it('names what does not answer, and what it said', async () => {
    const broken = {
      name: 'queue',
      ping: async () => {
        throw new Error('closed');
      },
    };
    const silent = { name: 'log', ping: () => new Promise<void>(() => undefined) };
    expect(await checkReadiness([ok, broken, silent], 20)).toEqual({
      ready: false,
      checks: { database: 'ok', queue: 'closed', log: 'no answer in 20 ms' },
    });
  });
});
