import { describe, expect, it } from '@jest/globals';
import { parseConfig } from '../../config/config.js';
import { shellsOff, type Shells } from '../../tools/shells.js';
import { describeStart, startFields } from './describe-start.js';

const url = 'http://127.0.0.1:4400';
const off = shellsOff('bubblewrap (bwrap) is not installed');
const started = (environment: Record<string, string>, shells: Shells = off): string =>
  describeStart({ config: parseConfig(environment), mode: 'rehearsal', shells }, url);

describe('describeStart', () => {
  it('says where it serves, and which routes', () => {
    const text = started({});
    expect(text).toContain(`serves ${url}\n`);
    expect(text).toContain(`  console ${url}/\n`);
    expect(text).toContain(`${url}/docs`);
    const named = [
      'harness/turn',
      'harness/attachments',
      'agent/{name}/chat',
      'api/chat',
      'health',
    ];
    for (const route of named) {
      expect(text).toMatch(new RegExp(`^  (GET|POST) +/\\S*${route}`, 'm'));
    }
  });

  it('says how commands run', () => {
    const off =
      '  bash    off (bubblewrap (bwrap) is not installed; see TURNPIKE_ALLOW_UNSANDBOXED_BASH)';
    expect(started({})).toContain(`${off}\n`);
  });

  it('says the same in one line', () => {
    const runtime = { config: parseConfig({}), mode: 'rehearsal' as const, shells: off };
    expect(startFields(runtime, url)).toEqual({
      url,
      role: 'all',
      data: expect.stringMatching(/\.turnpike$/),
      model: expect.stringContaining('rehearsal'),
      bash: expect.stringContaining('off'),
      message: `Turnpike serves ${url} from now on`,
    });
  });

  it('names no API on a worker', () => {
    const shared = { REDIS_URL: 'redis://localhost', DATABASE_URL: 'postgres://localhost/t' };
    const text = started({ TURNPIKE_ROLE: 'worker', ...shared });
    expect(text).toBe(`Turnpike runs turns and serves ${url} (/health and /ready)`);
  });
});
