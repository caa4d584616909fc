import { describe, expect, it } from '@jest/globals';
import { judgeUrl } from './judge-url.js';

const problemOf = (url: string, listed: readonly string[] = []): string | undefined => {
  const verdict = judgeUrl(url, listed);
  return verdict.ok ? undefined : verdict.problem;
};

describe('judgeUrl', () => {
  it.each([
    ['https://example.com/hooks?team=1', []],
    ['https://8.8.8.8/hooks', []],
    ['https://inside.example:8443/', ['inside.example']],
    ['http://inside.example/', ['inside.example']],
    ['http://127.0.0.1:9000/', ['127.0.0.1']],
    ['https://[::1]/', ['[::1]']],
    ['http://LOCALHOST.:9000/', ['localhost']],
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
    ['a name of this machine', 'https://hooks.localhost/', /no public address/],
    ['a private address', 'https://10.0.0.1/', /no public address/],
    ['the metadata service', 'https://169.254.169.254/latest', /no public address/],
  ])('refuses %s', (_what, url, problem) => expect(problemOf(url)).toMatch(problem));

  it('refuses http and a private address for a host beside those that are listed', () => {
    expect(problemOf('http://example.com/', ['inside.example'])).toMatch(/https/);
    expect(problemOf('https://10.0.0.2/', ['10.0.0.1'])).toMatch(/no public address/);
  });

  it('repeats no secret of the URL', () => {
    expect(problemOf('https://me:hunter2@10.0.0.1/?token=abc')).not.toMatch(/hunter2|abc/);
  });
});
