import { gzipSync, zstdCompressSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { makeKey } from '../../support/clients/keyed-client.js';
import { rawRequest, sendBytes } from '../../support/clients/send-bytes.js';
import { useServer } from '../../support/processes/start-server.js';

const MIB = 1024 * 1024;
const json = 'Content-Type: application/json';
const routes = [
  '/api/chat',
  '/agent/WORKING_ITEMS/ag-ui',
  '/agent/WORKING_ITEMS/chat',
  '/api/harness/turn',
  '/api/harness/attachments',
  '/api/oracle',
  '/api/admin/keys',
];

describe('the body of a request', () => {
  let key: string;
  const server = useServer();
  beforeAll(async () => {
    ({ secret: key } = await makeKey(server, { principal: 'ann' }));
  });

  const post = async (body: Uint8Array | string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${server.url}/api/chat`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    });
    return { status: response.status, text: await response.text() };
  };

  it.each(routes)('is not waited for before its sender is known: %s', async (target) => {
    // The body is never sent: a server that reads it first has no answer to give.
    const head = rawRequest([json, `Content-Length: ${MIB}`], { target, method: 'POST' });
    const { statuses } = await sendBytes(server.url, head);
    expect(statuses).toEqual([401]);
  });

  it.each(routes)('is not inflated before its sender is known: %s', async (target) => {
    const bomb = gzipSync('['.repeat(8 * MIB)).toString('latin1');
    const lines = [json, 'Content-Encoding: gzip', `Content-Length: ${bomb.length}`];
    const head = rawRequest(lines, { target, method: 'POST', body: bomb });
    const { statuses } = await sendBytes(server.url, head);
    expect(statuses).toEqual([401]);
  });

  it('is not waited for by a route that is open, or that there is not', async () => {
    const lines = [json, `Content-Length: ${MIB}`];
    for (const [target, status] of [
      ['/health', 200],
      ['/none', 404],
    ] as const) {
      const { statuses } = await sendBytes(server.url, rawRequest(lines, { target }));
      expect(statuses).toEqual([status]);
    }
  });

  it('inflates to ten times what was sent at most', async () => {
    const sent = gzipSync('['.repeat(8 * MIB));
    const { status, text } = await post(sent, { 'content-encoding': 'gzip' });
    expect([status, text]).toEqual([413, expect.stringContaining('10 times')]);
  });

  it.each<[string, string, string]>([
    ['65 levels', '['.repeat(65), 'at most 64 levels'],
    ['levels without an end', '['.repeat(8 * MIB), 'at most 64 levels'],
    ['100,001 values', `[${'0,'.repeat(100_000)}0]`, 'at most 100000'],
  ])('is refused before it is parsed: %s', async (_what, body, why) => {
    const { status, text } = await post(body);
    expect([status, text]).toEqual([400, expect.stringContaining(why)]);
  });

  it('is taken as it is meant, plain and packed', async () => {
    const message = (id: string) => ({
      id,
      messages: [{ id, role: 'user', parts: [{ type: 'text', text: `Hello ${id}` }] }],
    });
    expect((await post(JSON.stringify(message('plain')))).status).toBe(200);
    for (const [encoding, pack] of [
      ['gzip', gzipSync],
      ['zstd', zstdCompressSync],
    ] as const) {
      const sent = pack(JSON.stringify(message(encoding)));
      const { status, text } = await post(sent, { 'content-encoding': encoding });
      expect([status, text]).toEqual([200, expect.stringContaining(`Hello ${encoding}`)]);
    }
  });

  it.each([
    ['/api/chat', 'TURNPIKE_MAX_CONVERSATION_BYTES'],
    ['/api/harness/turn', 'TURNPIKE_MAX_BODY_BYTES'],
  ])('is refused by its length alone, with the limit: %s', async (target, setting) => {
    const lines = [json, `Content-Length: ${64 * MIB}`, `Authorization: Bearer ${key}`];
    const { statuses, text } = await sendBytes(
      server.url,
      rawRequest(lines, { target, method: 'POST' }),
    );
    expect(statuses).toEqual([413]);
    expect(text).toContain(setting);
    expect(text).toMatch(/larger than the \d+ bytes/);
  });

  it.each<[string, string]>([
    ['Content-Encoding', 'compress'],
    ['Content-Type', 'application/json; charset=iso-8859-1'],
  ])('is refused with 415 when its %s cannot be read', async (header, value) => {
    const { status, text } = await post('{}', { [header.toLowerCase()]: value });
    expect([status, text]).toEqual([415, expect.stringContaining('UNSUPPORTED_MEDIA_TYPE')]);
  });

  it('is refused with the codings that are read', async () => {
    const headers = { authorization: `Bearer ${key}`, 'content-encoding': 'compress' };
    const refused = await fetch(`${server.url}/api/chat`, { method: 'POST', headers, body: '{}' });
    expect(refused.headers.get('accept-encoding')).toBe('gzip, deflate, br, zstd');
    expect(await refused.text()).toContain('gzip, deflate, br, zstd or plain');
  });
});
