import { describe, expect, it } from '@jest/globals';
import { noProxies, parseTrustedProxies, senderAddress } from './sender-address.js';

const trust = (text: string) => parseTrustedProxies(text) ?? noProxies;
const sender = (trusted: string, ...rawHeaders: string[]) =>
  senderAddress({ address: '10.0.0.1', rawHeaders }, trust(trusted));
const XFF = 'X-Forwarded-For';

describe('senderAddress', () => {
  it.each<[string, string[], string]>([
    // Nobody is trusted.
    ['0', [XFF, '9.9.9.9'], '10.0.0.1'],
    // With one proxy, the client invented what stands before the proxy's own entry.
    ['1', [XFF, '9.9.9.9'], '9.9.9.9'],
    ['1', [XFF, '1.2.3.4, 9.9.9.9'], '9.9.9.9'],
    ['1', [XFF, '1.2.3.4', XFF, '9.9.9.9'], '9.9.9.9'],
    ['1', [], '10.0.0.1'],
    ['2', [XFF, '1.2.3.4, 9.9.9.9, 10.0.0.2'], '9.9.9.9'],
    // Fewer entries than proxies: the farthest.
    ['3', [XFF, '9.9.9.9, 10.0.0.2'], '9.9.9.9'],
    ['10.0.0.0/8', [XFF, '1.2.3.4, 9.9.9.9, 10.0.0.2'], '9.9.9.9'],
    ['10.0.0.0/8', [XFF, '10.0.0.3, 10.0.0.2'], '10.0.0.3'],
    ['192.168.0.0/16', [XFF, '9.9.9.9'], '10.0.0.1'],
    ['10.0.0.1', [XFF, '9.9.9.9:51234'], '9.9.9.9'],
    ['10.0.0.1,::1', [XFF, '[2001:db8::7]:443'], '2001:db8::7'],
    ['1', [XFF, '::ffff:9.9.9.9'], '9.9.9.9'],
    ['1', ['forwarded', 'for=9.9.9.9;proto=https;by=10.0.0.1'], '9.9.9.9'],
    ['1', ['Forwarded', 'for=1.2.3.4, proto=http; For="[2001:db8::7]:4711"'], '2001:db8::7'],
    ['1', ['Forwarded', 'for=9.9.9.9;host="a,b"'], '9.9.9.9'],
    ['1', ['Forwarded', 'for=1.2.3.4, for=9.9.9.9;by="_a\\"b,c"'], '9.9.9.9'],
    ['1', [XFF, ' 9.9.9.9 ,'], '9.9.9.9'],
    ['1', [XFF, '[fe80::1%eth0]:443'], 'fe80::1%eth0'],
    // A name that a proxy made up.
    ['1', ['Forwarded', 'for=_hidden'], '10.0.0.1'],
    ['2', [XFF, '9.9.9.9, unknown, 10.0.0.2'], '10.0.0.2'],
    ['1', [XFF, ''], '10.0.0.1'],
    ['1', [XFF, 'localhost'], '10.0.0.1'],
    // The client sent one of them, and the proxy the other.
    ['1', ['Forwarded', 'for=1.2.3.4', XFF, '9.9.9.9'], '10.0.0.1'],
    ['1', ['Forwarded', 'for=9.9.9.9', XFF, '9.9.9.9'], '9.9.9.9'],
  ])('by %j of %j is %s', (trusted, headers, expected) => {
    expect(sender(trusted, ...headers)).toBe(expected);
  });
});

describe('parseTrustedProxies', () => {
  it.each(['', '-1', '11', '1,2', 'loopback', '10.0.0.0/33', 'proxy.example', '10.0.0.0/8,'])(
    'refuses %j',
    (text) => {
      expect(parseTrustedProxies(text)).toBeUndefined();
    },
  );
});
