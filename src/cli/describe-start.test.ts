import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../config.js';
import { describeStart } from './describe-start.js';

const url = 'http://127.0.0.1:4400';
const started = (environment: Record<string, string>): string =>
  describeStart({ config: readConfig(environment), mode: 'rehearsal' }, url);

describe('describeStart', () => {
  it('says where it serves, and which routes', () => {
    const text = started({});
    expect(text).toContain(`serves ${url}\n`);
    expect(text).toContain(`${url}/docs`);
    for (const route of ['harness/turn', 'harness/attachments', 'agent/{name}/chat', 'health']) {
      expect(text).toMatch(new RegExp(`^  (GET|POST) +/\\S*${route}`, 'm'));
    }
  });

  it('names no API on a worker', () => {
    const shared = { REDIS_URL: 'redis://localhost', DATABASE_URL: 'postgres://localhost/t' };
    const text = started({ TURNPIKE_ROLE: 'worker', ...shared });
    expect(text).toBe(`Turnpike runs turns and serves ${url} (/health and /ready)`);
  });
});
