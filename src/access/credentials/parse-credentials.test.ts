import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { newSecret } from '../keys/key-secret.js';
import { parseCredentials } from './parse-credentials.js';

const { text: key } = newSecret();
const read = (rawHeaders: string[], url = '/agents') =>
  parseCredentials({ method: 'GET', url, rawHeaders, address: '127.0.0.1' });

describe('parseCredentials', () => {
  it.each([
    [['Authorization', `Bearer ${key}`], key],
    [['authorization', `bearer   ${key} `], key],
    [['X-API-Key', key], key],
    [['X-API-Key', key, 'Authorization', `Bearer ${key}`], key],
    [['X-API-Key', key, 'Authorization', 'Basic dXNlcjpwYXNz'], key],
    [['Authorization', 'Basic dXNlcjpwYXNz'], undefined],
    [['Authorization', 'Bearer'], undefined],
    [['X-Forwarded-Authorization', `Bearer ${key}`], undefined],
    [[], undefined],
  ])('of %j is %j', (rawHeaders, expected) => {
    expect(read(rawHeaders)).toBe(expected);
  });

  it.each<[string, string[], string]>([
    ['only once', ['Host', 'a', 'HOST', 'b'], '/'],
    ['only once', ['Origin', 'a', 'origin', 'a'], '/'],
    ['only once', ['Authorization', 'Bearer a', 'authorization', 'Bearer a'], '/'],
    ['only once', ['X-Api-Key', 'a', 'x-api-key', 'b'], '/'],
    ['different keys', ['X-Api-Key', 'a', 'Authorization', 'Bearer b'], '/'],
    ['not a proxy', [], 'http://evil.example/agents'],
    ['not a proxy', [], '*'],
    ['in the header', [], `/agents?api_key=${key}`],
    ['in the header', [], `/agents/${key}`],
  ])('is refused, with what to do (%s): %j', (words, rawHeaders, url) => {
    const refused = expect.objectContaining({
      status: 400,
      type: 'INVALID_REQUEST',
      message: expect.stringContaining(words),
    });
    let thrown: unknown;
    try {
      read(rawHeaders, url);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toEqual(refused);
    expect((thrown as Error).message).not.toContain(key);
  });

  it('does not depend on what else was sent, or in which order', () => {
    const others = fc.array(
      fc.tuple(fc.constantFrom('Accept', 'Cookie', 'X-Forwarded-For', 'Via'), fc.string()),
    );
    fc.assert(
      fc.property(others, others, (before, after) => {
        const headers = [...before, ['Authorization', `Bearer ${key}`] as const, ...after];
        expect(read(headers.flat())).toBe(key);
      }),
    );
  });
});
