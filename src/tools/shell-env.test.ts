import { describe, expect, it } from '@jest/globals';
import { pickShellEnv } from './shell-env.js';

const source = {
  PATH: '/usr/bin',
  HOME: '/home/a',
  LANG: undefined,
  GIT_AUTHOR_NAME: 'a',
  ANTHROPIC_API_KEY: 'sk',
  CHIRALITY_ANTHROPIC_API_KEY: 'sk',
  TURNPIKE_PORT: '1',
  REDIS_URL: 'redis://',
  DATABASE_URL: 'postgres://',
};

describe('pickShellEnv', () => {
  it('picks the few a shell needs', () => {
    expect(pickShellEnv(source)).toEqual({ PATH: '/usr/bin', HOME: '/home/a' });
  });

  it("picks what is named, but never the server's own", () => {
    expect(pickShellEnv(source, Object.keys(source))).toEqual({
      PATH: '/usr/bin',
      HOME: '/home/a',
      GIT_AUTHOR_NAME: 'a',
    });
  });
});
