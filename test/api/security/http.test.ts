import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { makeKey } from '../../support/clients/keyed-client.js';
import { rawRequest, sendBytes } from '../../support/clients/send-bytes.js';
import { useServer } from '../../support/processes/start-server.js';

const evil = 'evil.example';
const second = `GET /api/admin/audit HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
const json = 'Content-Type: application/json';
const post = { target: '/api/harness/turn', method: 'POST' };

/** A POST of JSON whose length is said by these headers. */
const sized = (headers: string[], body = '{}') => rawRequest([json, ...headers], { ...post, body });
/** The same, where a second request stands behind the end of the chunks. */
const chunked = (...headers: string[]) => sized(headers, `0\r\n\r\n${second}`);
const many = Array.from({ length: 2_000 }, (_, n) => `A${n}:`);

/**
 * Requests that two parsers could read in two ways: they get one answer, and nothing of them runs.
 */
const ambiguous: [string, string, number?][] = [
  ['two Hosts', rawRequest([`Host: ${evil}`])],
  ['two Hosts in one case and another', rawRequest([`hOsT: ${evil}`])],
  ['no Host', rawRequest([], { host: '' })],
  ['a whole URL of another host', rawRequest([], { target: `http://${evil}/agents` })],
  ['a whole URL of its own', rawRequest([], { target: 'http://127.0.0.1/agents' })],
  ['a host for a path', rawRequest([], { target: `${evil}:80` })],
  [
    'Transfer-Encoding and Content-Length',
    chunked('Transfer-Encoding: chunked', 'Content-Length: 4'),
  ],
  ['two Content-Lengths', sized(['Content-Length: 2', 'Content-Length: 90'], `{}${second}`)],
  ['the same Content-Length twice', sized(['Content-Length: 2', 'Content-Length: 2'])],
  ['a Content-Length that is no number', sized(['Content-Length: +2'])],
  ['a Transfer-Encoding that nobody knows', chunked('Transfer-Encoding: xchunked')],
  ['chunked, but not last', chunked('Transfer-Encoding: chunked, identity')],
  ['a coding of the body before chunked', chunked('Transfer-Encoding: gzip, chunked')],
  [
    'a Transfer-Encoding that nobody knows, and another one',
    chunked('Transfer-Encoding: xchunked', 'Transfer-Encoding: chunked'),
  ],
  [
    'a Transfer-Encoding in HTTP/1.0',
    chunked('Transfer-Encoding: chunked').replace('HTTP/1.1', 'HTTP/1.0'),
  ],
  ['two Content-Types', sized(['Content-Type: text/plain', 'Content-Length: 2'])],
  ['more headers than are taken', rawRequest(many.slice(0, 999))],
  [
    'a Content-Length after more headers than are taken',
    sized([...many, 'Content-Length: 2'], `{}${second}`),
  ],
  ['a chunk without a size', sized(['Transfer-Encoding: chunked'], `zz\r\n\r\n${second}`)],
  ['a folded line', rawRequest(['X-A: b\r\n Origin: null'])],
  ['a folded Host', rawRequest([], { host: `Host: 127.0.0.1\r\n ${evil}` })],
  ['a blank before the colon', rawRequest(['Origin : null'])],
  ['lines that end in LF', rawRequest([]).replaceAll('\r\n', '\n')],
  ['CR in a value', rawRequest(['Last-Event-ID: a\rX-Evil: b'])],
  ['NUL in a value', rawRequest(['Idempotency-Key: a\0b'])],
  ['a header of 20,000 characters', rawRequest([`X-A: ${'a'.repeat(20_000)}`]), 431],
  ['a path of 20,000 characters', rawRequest([], { target: `/agents?${'a'.repeat(20_000)}` }), 431],
  ['a Host after more headers than are read', rawRequest(hosts(2_100), { host: '' })],
  ['an expectation that nobody has', rawRequest([json, 'Expect: a-miracle'], post), 417],
];

/** The last header of many is beyond what the parser keeps. */
function hosts(count: number): string[] {
  return [...Array.from({ length: count }, (_, n) => `A${n}:`), `Host: ${evil}`];
}

describe('a request that can be read in two ways', () => {
  const server = useServer();

  it.each(ambiguous)(
    'is refused once, and nothing in it runs: %s',
    async (_what, bytes, status = 400) => {
      const before = server.logLines.length;
      const answers = await sendBytes(server.url, bytes);
      expect(answers.statuses).toEqual([status]);
      if (status !== 417) expect(answers.text).toMatch(/INVALID_REQUEST|Invalid request/);
      expect(answers.text).not.toContain('"agents"');
      expect(answers.text).not.toContain('"entries"');
      expect(answers.head.toLowerCase()).not.toContain('x-evil');
      const errors = server.logLines
        .slice(before)
        .filter((line) => line.includes('"level":"error"'));
      expect(errors).toEqual([]);
    },
  );

  it('opens no tunnel', async () => {
    const connect = rawRequest([], { method: 'CONNECT', target: `${evil}:80` });
    expect((await sendBytes(server.url, connect)).statuses).toEqual([]);
    const upgrade = rawRequest(['Upgrade: h2c', 'HTTP2-Settings: AAMAAABk']);
    expect((await sendBytes(server.url, upgrade)).statuses).toEqual([200]);
  });

  it('has no line of its own in the answer: %0d%0a in an id', async () => {
    const target = '/api/harness/turns/turn_%0d%0aX-Evil:%201/events';
    const { statuses, head, text } = await sendBytes(server.url, rawRequest([], { target }));
    expect(statuses).toEqual([404]);
    expect(head.toLowerCase()).not.toContain('x-evil');
    expect(text).toContain('TURN_NOT_FOUND');
  });

  it('is not another one by what a proxy would say', async () => {
    const id = 'X-Request-Id: r1';
    const plain = await sendBytes(server.url, rawRequest([id]));
    const answer = await sendBytes(
      server.url,
      rawRequest([
        id,
        `X-Forwarded-Host: ${evil}`,
        'X-Forwarded-For: 203.0.113.9',
        'X-Forwarded-Proto: https',
        `Forwarded: for=203.0.113.9;host=${evil}`,
        'X-HTTP-Method-Override: DELETE',
        'X-Original-URL: /api/admin/keys',
        'X-Rewrite-URL: /api/admin/keys',
      ]),
    );
    const withoutDate = (text: string) => text.replace(/^Date: .*$/m, '');
    expect(withoutDate(answer.text)).toBe(withoutDate(plain.text));
    const foreign = rawRequest(['X-Forwarded-Host: 127.0.0.1'], { host: `Host: ${evil}` });
    expect((await sendBytes(server.url, foreign)).statuses).toEqual([403]);
  });
});

const ours = ['127.0.0.1', '127.0.0.1:9', 'localhost', 'LOCALHOST:80', '[::1]', '[::1]:4400'];
const others = [
  evil,
  `127.0.0.1.${evil}`,
  `localhost.${evil}`,
  `127.0.0.1@${evil}`,
  `127.0.0.1, ${evil}`,
  `127.0.0.1:80:${evil}`,
  'localhost.',
  '0.0.0.0',
  '127.1',
  '2130706433',
  '::1',
  '[::]',
  '[::ffff:127.0.0.1]',
  '169.254.169.254',
  '',
];
const foreignOrigins = [
  'null',
  '',
  `https://${evil}`,
  `http://localhost.${evil}`,
  `http://localhost@${evil}`,
  `http://127.0.0.1.${evil}`,
  'http://0.0.0.0',
  'http://[::]',
  'file://',
  'file://localhost',
  'data:text/html,',
];

describe('Host and Origin, where there are no keys', () => {
  const server = useServer();

  const statusOf = async (lines: string[], host = '127.0.0.1') => {
    const { statuses, text } = await sendBytes(
      server.url,
      rawRequest(lines, { host: `Host: ${host}` }),
    );
    return [...statuses, text.includes('forbidden-origin')];
  };

  it.each(ours)('takes its own name: %s', async (host) => {
    expect(await statusOf([], host)).toEqual([200, false]);
  });

  it.each(others)('refuses a name that may be rebound: %s', async (host) => {
    expect(await statusOf([], host)).toEqual([403, true]);
  });

  it.each(foreignOrigins)('refuses a page of another site: %s', async (origin) => {
    expect(await statusOf([`Origin: ${origin}`])).toEqual([403, true]);
  });

  it('takes a page of its own', async () => {
    expect(await statusOf(['Origin: http://localhost:80'], 'localhost')).toEqual([200, false]);
    expect(await statusOf([`Origin: ${server.url}`], new URL(server.url).host)).toEqual([
      200,
      false,
    ]);
  });

  it.each(['http://localhost:3000', 'http://[::1]:3000', 'http://127.0.0.1:9'])(
    'refuses a page of another port of this machine: %s',
    async (origin) => {
      expect(await statusOf([`Origin: ${origin}`])).toEqual([403, true]);
    },
  );

  const write = '[[tool=write {"file_path":"proof.txt","content":"x"}]]';
  const blind = () => ({
    id: 'blind',
    agent: 'WORKING_ITEMS',
    projectRoot: server.projectRoot,
    opts: { mode: 'acceptEdits' },
    messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: write }] }],
  });
  const own = () => `Origin: ${server.url}`;
  const proof = () => path.join(server.projectRoot, 'proof.txt');

  it.each<[string, () => string[], number]>([
    ['another port', () => ['Origin: http://localhost:3000', 'Sec-Fetch-Site: same-site'], 403],
    ['another port, unnamed', () => ['Sec-Fetch-Site: same-site', json], 403],
    ['another site, unnamed', () => ['Sec-Fetch-Site: cross-site', json], 403],
    ['its own, as a form would', () => [own(), 'Content-Type: text/plain'], 415],
    ['two sites', () => ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: same-origin', json], 400],
  ])('runs nothing that a page posts blindly: %s', async (_which, lines, status) => {
    const body = JSON.stringify(blind());
    const answers = await sendBytes(
      server.url,
      rawRequest([...lines(), `Content-Length: ${body.length}`], {
        target: '/api/chat',
        method: 'POST',
        host: `Host: ${new URL(server.url).host}`,
        body,
      }),
    );
    expect(answers.statuses).toEqual([status]);
    expect(existsSync(proof())).toBe(false);
  });

  it('runs what a program posts, and a page of its own', async () => {
    const { host } = new URL(server.url);
    for (const [id, lines] of [
      ['program', ['Content-Type: text/plain']],
      ['page', [own(), 'Sec-Fetch-Site: same-origin', json]],
    ] as const) {
      const body = JSON.stringify({ ...blind(), id });
      const answers = await sendBytes(
        server.url,
        rawRequest([...lines, `Content-Length: ${body.length}`], {
          target: '/api/chat',
          method: 'POST',
          host: `Host: ${host}`,
          body,
        }),
      );
      expect(answers.statuses).toEqual([200]);
      expect(existsSync(proof())).toBe(true);
      await rm(proof());
    }
  });

  it('lets no page read what it may not: no CORS headers, also in a preflight', async () => {
    const lines = [`Origin: http://${evil}`, 'Access-Control-Request-Method: POST'];
    const answers = await sendBytes(server.url, rawRequest(lines, { ...post, method: 'OPTIONS' }));
    expect(answers.statuses[0]).toBeGreaterThanOrEqual(400);
    expect(answers.head.toLowerCase()).not.toContain('access-control-allow');
  });
});

describe('Host and Origin, where there are keys', () => {
  let key: string;
  const server = useServer({ environment: { TURNPIKE_CORS_ORIGINS: 'https://app.example' } });
  beforeAll(async () => {
    ({ secret: key } = await makeKey(server, { principal: 'ann' }));
  });

  it.each([...ours, ...others])('a name opens nothing: %s', async (name) => {
    for (const lines of [[], [`Origin: http://${name}`], [`Forwarded: host=${name}`]]) {
      const { statuses } = await sendBytes(
        server.url,
        rawRequest(lines, { host: `Host: ${name}` }),
      );
      expect(statuses).toEqual([401]);
    }
  });

  it('keeps idle connections for longer than proxies do, and lets pages read what it sends', async () => {
    const headers = { origin: 'https://app.example', authorization: `Bearer ${key}` };
    const answer = await fetch(`${server.url}/api/harness/sessions`, { headers });
    expect(answer.headers.get('keep-alive')).toBe('timeout=75');
    const exposed = answer.headers.get('access-control-expose-headers') ?? '';
    for (const name of ['ETag', 'Location', 'Retry-After', 'X-Should-Retry', 'X-Turn-Id']) {
      expect(exposed.split(',')).toContain(name);
    }
  });

  it('a page is let read by its origin, letter for letter', async () => {
    for (const [origin, allowed] of [
      ['https://app.example', true],
      ['http://app.example', false],
      ['https://app.example:444', false],
      [`https://app.example.${evil}`, false],
      ['null', false],
    ] as const) {
      const lines = [`Origin: ${origin}`, `Authorization: Bearer ${key}`];
      const { head } = await sendBytes(server.url, rawRequest(lines));
      const isAllowed = head.includes(`Access-Control-Allow-Origin: ${origin}`);
      expect([origin, isAllowed]).toEqual([origin, allowed]);
      expect(head).not.toContain('Access-Control-Allow-Origin: *');
      expect(head).not.toContain('Access-Control-Allow-Credentials');
    }
  });
});
