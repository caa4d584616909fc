import { describe, expect, it } from '@jest/globals';
import { checkOrigin } from './check-origin.js';

describe('checkOrigin', () => {
  it.each([
    [{ host: '127.0.0.1:4400' }],
    [{ host: 'localhost' }],
    [{ host: 'LOCALHOST:80' }],
    [{ host: '[::1]:4400' }],
    [{ host: '127.0.0.1:4400', origin: 'http://localhost:3000' }],
    [{ host: '127.0.0.1:4400', origin: 'http://[::1]:3000' }],
  ])('takes %j', (headers) => {
    expect(checkOrigin(headers)).toBeUndefined();
  });

  it('takes a page of an origin that is allowed, and of no other', () => {
    const headers = { host: 'localhost:4400', origin: 'https://app.example' };
    expect(checkOrigin(headers, { allowed: ['https://app.example'] })).toBeUndefined();
    expect(checkOrigin(headers, { allowed: ['https://app.example:8443'] })).toMatchObject({
      status: 403,
    });
    const rebound = { host: 'evil.example', origin: 'https://app.example' };
    expect(checkOrigin(rebound, { allowed: ['https://app.example'] })).toMatchObject({
      status: 403,
    });
  });

  it.each([
    [{}, 'Host'],
    [{ host: 'evil.example' }, 'Host'],
    [{ host: '127.0.0.1.evil.example:4400' }, 'Host'],
    [{ host: 'localhost.evil.example' }, 'Host'],
    [{ host: '127.0.0.1:4400', origin: 'https://evil.example' }, 'Origin'],
    [{ host: '127.0.0.1:4400', origin: 'null' }, 'Origin'],
    [{ host: '127.0.0.1:4400', origin: 'chrome-extension://localhost' }, 'Origin'],
    [{ host: '127.0.0.1:4400', origin: 'http://localhost.evil.example' }, 'Origin'],
  ])('refuses %j, for its %s', (headers, named) => {
    expect(checkOrigin(headers)).toMatchObject({
      status: 403,
      type: 'FORBIDDEN_ORIGIN',
      message: expect.stringContaining(named),
    });
  });
});
