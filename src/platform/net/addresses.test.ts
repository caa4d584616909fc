import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { isLoopbackAddress, isPageOrigin, isPublicAddress } from './addresses.js';

describe('isPublicAddress', () => {
  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '160.79.104.10',
    '2606:4700::1',
    '2607:6bc0::10',
    '::ffff:8.8.8.8',
  ])('takes %s', (address) => expect(isPublicAddress(address)).toBe(true));

  it.each([
    ['loopback', '127.0.0.1'],
    ['loopback, its far end', '127.255.255.254'],
    ['loopback', '::1'],
    ['loopback, mapped', '::ffff:127.0.0.1'],
    ['loopback, mapped, in hex', '::ffff:7f00:1'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['private, mapped', '::ffff:10.0.0.1'],
    ['private, IPv4-compatible', '::10.0.0.1'],
    ['the metadata service', '169.254.169.254'],
    ['the metadata service, mapped', '::ffff:169.254.169.254'],
    ['the metadata service over IPv6', 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['site-local', 'fec0::1'],
    ['unique-local', 'fd12:3456::1'],
    ['shared by a carrier', '100.64.0.1'],
    ['NAT64', '64:ff9b::a00:1'],
    ['NAT64 of a network', '64:ff9b:1::1'],
    ['6to4', '2002:a00:1::'],
    ['Teredo', '2001::1'],
    ['unspecified', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['unspecified', '::'],
    ['broadcast', '255.255.255.255'],
    ['multicast', '224.0.0.1'],
    ['multicast', 'ff02::1'],
    ['documentation', '192.0.2.1'],
    ['documentation', '2001:db8::1'],
    ['benchmarks', '198.18.0.1'],
    ['reserved', '240.0.0.1'],
    ['not given out', '4000::1'],
    ['a name', 'localhost'],
    ['nothing', ''],
  ])('refuses %s: %s', (_what, address) => expect(isPublicAddress(address)).toBe(false));

  it('judges an IPv4 address that is mapped into IPv6 as itself', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(isPublicAddress(`::ffff:${address}`)).toBe(isPublicAddress(address));
      }),
    );
  });
});

describe('isLoopbackAddress', () => {
  it.each([
    ['127.0.0.1', true],
    ['127.9.9.9', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['0.0.0.0', false],
    ['10.0.0.1', false],
    ['8.8.8.8', false],
    ['localhost', false],
  ])('%s: %s', (address, loopback) => expect(isLoopbackAddress(address)).toBe(loopback));
});

describe('isPageOrigin', () => {
  it.each([
    'https://app.example.com',
    'http://localhost:5173',
    'http://tauri.localhost',
    'capacitor://localhost',
    'ionic://localhost',
    'tauri://localhost',
    'app://bundle',
    'app://-',
    'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
    'moz-extension://6f1c6c1e-7a5b-4b4b-8d0e-1f2e3d4c5b6a',
    'vscode-webview://0a1b2c',
  ])('takes %s', (text) => {
    expect(isPageOrigin(text)).toBe(true);
  });

  it.each([
    'null',
    '*',
    '',
    'https://app.example.com/',
    'https://app.example.com:443',
    'https://App.example.com',
    'HTTPS://app.example.com',
    'https:app.example.com',
    'capacitor://localhost/',
    'Capacitor://localhost',
    'capacitor:localhost',
    'file://',
    'file:///index.html',
    'data:text/html,x',
    'app://user@host',
    'app://host?x',
    'app://a b',
    'app.example.com',
  ])('refuses %j', (text) => {
    expect(isPageOrigin(text)).toBe(false);
  });
});
