import { describe, expect, it } from '@jest/globals';
import { parseKeysArguments } from './keys-command.js';
import { UsageError } from '../arguments.js';

const parse = (line: string) => parseKeysArguments(line.split(' '));

describe('parseKeysArguments', () => {
  it('makes a body as the route takes it', () => {
    const options = '--principal me --name CI --scopes turns,admin --expires 30d --usd-per-day 1.5';
    expect(
      parse(
        `create ${options} --concurrent-turns 4 --project-root /srv/a --project-root /srv/b --json`,
      ),
    ).toEqual({
      action: 'create',
      json: true,
      body: {
        principal: 'me',
        name: 'CI',
        scopes: ['turns', 'admin'],
        expiresIn: '30d',
        limits: { concurrentTurns: 4, usdPerDay: 1.5 },
        projectRoots: ['/srv/a', '/srv/b'],
      },
    });
    expect(parse('create --principal me')).toEqual({
      action: 'create',
      json: false,
      body: { principal: 'me' },
    });
  });

  it('takes list and revoke', () => {
    expect(parse('list')).toEqual({ action: 'list', json: false });
    expect(parse('revoke 0123 --json')).toEqual({ action: 'revoke', id: '0123', json: true });
  });

  it.each([
    'create',
    'create me --principal me',
    'create --principal me --usd-per-day much',
    'create --principal me --scope turns',
    'list all',
    'revoke',
    'revoke a b',
    'delete a',
    '',
  ])('is not understood: %s', (line) => {
    expect(() => parse(line)).toThrow(UsageError);
  });
});
