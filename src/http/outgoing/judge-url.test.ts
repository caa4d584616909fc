import { describe, expect, it } from '@jest/globals';
import { judgeUrl } from './judge-url.js';

const variable = 'TURNPIKE_WEBHOOK_PRIVATE_HOSTS';
const problemOf = (url: string, listed: readonly string[] = []): string | undefined => {
  const verdict = judgeUrl(url, { variable, listed });
  return verdict.ok ? undefined : verdict.problem;
};

describe('judgeUrl', () => {
  it.each([
    ['https://example.com/hooks?team=1', []],
    ['https://8.8.8.8/hooks', []],
    ['https://inside.example/', ['inside.example']],
    ['http://inside.example/', ['inside.example']],
    ['https://inside.example:8443/', ['inside.example:8443']],
    ['https://inside.example/', ['inside.example:443']],
    ['http://127.0.0.1:9000/', ['127.0.0.1:9000']],
    ['http://127.0.0.1:9000/', ['127.0.0.1:*']],
    ['https://[::1]/', ['[::1]']],
    ['http://[::1]:9000/', ['[::1]:9000']],
    ['http://LOCALHOST.:9000/', ['localhost:9000']],
  ])('takes %s where %j is listed', (url, listed) =>
    expect(problemOf(url, listed)).toBeUndefined(),
  );

  it.each([
    ['no URL', 'hooks', /must be a URL/],
    ['http', 'http://example.com/', /must begin with https/],
    ['another scheme', 'file:///etc/passwd', /must begin with https/],
    ['a credential', 'https://me:pass@example.com/', /no user and password/],
    ['loopback', 'https://127.0.0.1/', /no public address/],
    ['loopback in hex', 'https://0x7f000001/', /no public address/],
    ['loopback over IPv6', 'https://[::ffff:127.0.0.1]/', /no public address/],
    ['loopback as a number', 'https://2130706433/', /no public address/],
    ['loopback in octal', 'https://0177.0.0.1/', /no public address/],
    ['loopback in short', 'https://127.1/', /no public address/],
    ['loopback in full-width digits', 'https://１２７.０.０.１/', /no public address/],
    ['the unspecified address', 'https://0/', /no public address/],
    ['the unspecified address over IPv6', 'https://[::]/', /no public address/],
    ['an address within the older IPv6 form', 'https://[::127.0.0.1]/', /no public address/],
    ['an address behind NAT64', 'https://[64:ff9b::10.0.0.1]/', /no public address/],
    ['an address behind local NAT64', 'https://[64:ff9b:1::10.0.0.1]/', /no public address/],
    ['an address behind 6to4', 'https://[2002:a00:1::]/', /no public address/],
    ['an address translated by IPv6', 'https://[::ffff:0:10.0.0.1]/', /no public address/],
    ['a site-local address', 'https://[fec0::1]/', /no public address/],
    ['a link-local address', 'https://[fe80::1]/', /no public address/],
    ['a carrier’s address', 'https://100.64.0.1/', /no public address/],
    ['a benchmark’s address', 'https://198.18.0.1/', /no public address/],
    ['an address of the protocol', 'https://192.0.0.1/', /no public address/],
    ['a broadcast address', 'https://255.255.255.255/', /no public address/],
    ['a name of this machine', 'https://hooks.localhost/', /no public address/],
    ['a name of this machine, with a dot', 'https://localhost./', /no public address/],
    ['a private address', 'https://10.0.0.1/', /no public address/],
    ['the metadata service', 'https://169.254.169.254/latest', /no public address/],
  ])('refuses %s', (_what, url, problem) => expect(problemOf(url)).toMatch(problem));

  it('refuses http and a private address for a host beside those that are listed', () => {
    expect(problemOf('http://example.com/', ['inside.example'])).toMatch(/https/);
    expect(problemOf('https://10.0.0.2/', ['10.0.0.1'])).toMatch(/no public address/);
  });

  it.each([
    ['http://127.0.0.1:6379/', ['127.0.0.1:9000']],
    ['http://127.0.0.1:6379/', ['127.0.0.1']],
    ['https://10.0.0.1:8443/', ['10.0.0.1']],
    ['http://localhost:9001/', ['localhost:9000']],
  ])('refuses %s, whose port %j does not list', (url, listed) =>
    expect(problemOf(url, listed)).toMatch(/no public address/),
  );

  it.each([
    ['http://127.0.0.1:9000/hooks', '127.0.0.1:9000'],
    ['https://localhost/hooks', 'localhost:443'],
    ['http://[::1]/hooks', '[::1]:80'],
    ['http://hooks.lan:8080/', 'hooks.lan:8080'],
  ])('says of %s what the operator has to list for it', (url, entry) => {
    expect(problemOf(url)).toContain(`the operator lists ${entry} in ${variable}`);
    expect(problemOf(url, [entry])).toBeUndefined();
  });

  it('repeats no secret of the URL', () => {
    expect(problemOf('https://me:hunter2@10.0.0.1/?token=abc')).not.toMatch(/hunter2|abc/);
  });
});
