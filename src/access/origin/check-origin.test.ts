import { describe, expect, it } from '@jest/globals';
import {
  checkOrigin,
  type PageHead,
  MAX_WRONG_KEYS,
  networkOf,
  RefusedAddresses,
} from './check-origin.js';

const json = { method: 'POST', contentType: 'application/json', hasBody: true };
const host = '127.0.0.1:4400';
const own = `http://${host}`;
const other = 'http://localhost:3000';
const listed = 'https://app.example';
const rules = { allowed: [listed] };

describe('checkOrigin', () => {
  it.each<[Partial<PageHead>]>([
    [{ host }],
    [{ host: 'localhost' }],
    [{ host: 'LOCALHOST:80' }],
    [{ host: '[::1]:4400' }],
    [{ host, origin: own }],
    [{ host: 'localhost:4400', origin: 'http://localhost:4400' }],
    [{ host: 'LOCALHOST:80', origin: 'http://localhost' }],
    [{ host: '[::1]:4400', origin: 'http://[::1]:4400' }],
  ])('takes a reader: %j', (head) => {
    expect(checkOrigin({ method: 'GET', ...head })).toBeUndefined();
  });

  it.each<[string, Partial<PageHead>]>([
    ['a program without a type', { contentType: undefined }],
    ['a program with any type', { contentType: 'text/plain' }],
    ['its own page', { ...json, origin: own, site: 'same-origin' }],
    [
      'its own page with a type in other letters',
      { ...json, site: 'same-origin', contentType: 'Application/JSON; charset=utf-8' },
    ],
    [
      'its own page with a form of files',
      { ...json, origin: own, contentType: 'multipart/form-data; boundary=x' },
    ],
    [
      'its own page without a body',
      { origin: own, site: 'same-origin', hasBody: false, contentType: undefined },
    ],
    ['a page that is listed', { ...json, origin: listed, site: 'cross-site' }],
    ['who sits in front of the browser', { ...json, site: 'none' }],
  ])('takes a change by %s', (_who, head) => {
    expect(checkOrigin({ ...json, host, ...head }, rules)).toBeUndefined();
  });

  it.each<[string, Partial<PageHead>, string]>([
    ['another port of this machine', { origin: other }, 'Origin'],
    ['another port, by its site alone', { site: 'same-site' }, 'Sec-Fetch-Site'],
    ['another site, by its site alone', { site: 'cross-site' }, 'Sec-Fetch-Site'],
    ['a site of a kind that nobody knows', { site: 'other-site' }, 'Sec-Fetch-Site'],
    ['its own origin, from another site', { origin: own, site: 'same-site' }, 'Sec-Fetch-Site'],
    ['its own name at another port', { origin: 'http://127.0.0.1:4401' }, 'Origin'],
    ['another name of this machine', { origin: 'http://localhost:4400' }, 'Origin'],
  ])('refuses a change by %s', (_who, head, named) => {
    expect(checkOrigin({ ...json, host, ...head }, rules)).toMatchObject({
      status: 403,
      type: 'FORBIDDEN_ORIGIN',
      message: expect.stringContaining(named),
    });
  });

  it.each<[string | undefined]>([
    [undefined],
    [''],
    ['text/plain'],
    ['text/plain; a=application/json'],
    ['application/x-www-form-urlencoded'],
    ['application/jsonx'],
  ])('refuses a page’s body of the type %s', (contentType) => {
    for (const page of [{ origin: own }, { site: 'same-origin' }, { origin: listed }]) {
      expect(checkOrigin({ ...json, host, ...page, contentType }, rules)).toMatchObject({
        status: 415,
        type: 'UNSUPPORTED_MEDIA_TYPE',
      });
    }
  });

  it('takes a page of an origin that is listed, and of no other', () => {
    const head = { method: 'GET', host: 'localhost:4400', origin: listed };
    expect(checkOrigin(head, rules)).toBeUndefined();
    const others = { allowed: [`${listed}:8443`] };
    expect(checkOrigin(head, others)).toMatchObject({ status: 403 });
    const rebound = { ...head, host: 'evil.example' };
    expect(checkOrigin(rebound, rules)).toMatchObject({ status: 403 });
  });

  it('takes its own pages under any name where a gateway decides', () => {
    const head = { ...json, host: 'turnpike.example', origin: 'https://turnpike.example' };
    expect(checkOrigin(head, { anyHost: true })).toBeUndefined();
    const foreign = { ...head, origin: 'https://evil.example' };
    expect(checkOrigin(foreign, { anyHost: true })).toMatchObject({ status: 403 });
  });

  it.each<[Partial<PageHead>, string]>([
    [{}, 'Host'],
    [{ host: 'evil.example' }, 'Host'],
    [{ host: '127.0.0.1.evil.example:4400' }, 'Host'],
    [{ host: 'localhost.evil.example' }, 'Host'],
    [{ host, origin: 'https://evil.example' }, 'Origin'],
    [{ host, origin: 'null' }, 'Origin'],
    [{ host, origin: 'chrome-extension://127.0.0.1:4400' }, 'Origin'],
    [{ host, origin: 'http://localhost.evil.example' }, 'Origin'],
  ])('refuses a reader: %j, for its %s', (head, named) => {
    expect(checkOrigin({ method: 'GET', ...head })).toMatchObject({
      status: 403,
      type: 'FORBIDDEN_ORIGIN',
      message: expect.stringContaining(named),
    });
  });
});

describe('RefusedAddresses', () => {
  it('admits an address until it has sent too many wrong keys, and other addresses after', async () => {
    const refused = new RefusedAddresses();
    for (let i = 0; i < MAX_WRONG_KEYS; i += 1) {
      expect(await refused.waitOf('10.0.0.1')).toBeUndefined();
      await refused.add('10.0.0.1', `key ${i}`);
    }
    expect(await refused.waitOf('10.0.0.1')).toBeGreaterThan(0);
    expect(await refused.waitOf('10.0.0.2')).toBeUndefined();
  });

  it('counts the same wrong key of an address once: it may be an old tab', async () => {
    const refused = new RefusedAddresses();
    for (let i = 0; i < 10 * MAX_WRONG_KEYS; i += 1) await refused.add('10.0.0.1', 'old');
    expect(await refused.waitOf('10.0.0.1')).toBeUndefined();
  });

  it('notes one refusal of an address', async () => {
    const refused = new RefusedAddresses();
    const notes = await Promise.all(
      [1, 2, 3].map(() => refused.shouldNote('10.0.0.1', 'authentication.refused')),
    );
    expect(notes.filter(Boolean)).toHaveLength(1);
    expect(await refused.shouldNote('10.0.0.2', 'authentication.refused')).toBe(true);
  });
});

describe('networkOf', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2:ffff::1', '2001:db8:1:2'],
    ['', ''],
  ])('of %j is %j', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
