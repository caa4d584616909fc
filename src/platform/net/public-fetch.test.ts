import { beforeAll, describe, expect, it } from '@jest/globals';
import type { LookupFunction } from 'node:net';
import { refusedHost } from './addresses.js';
import { publicFetch, type PublicFetchOptions } from './public-fetch.js';
import { serveHttp } from '../../../test/support/serve-http.js';
import { useShared } from '../../../test/support/suite.js';

/** Answers each name with its addresses; the last ones again for every later question. */
function resolver(names: Record<string, string[][]>): { lookup: LookupFunction; asked: string[] } {
  const asked: string[] = [];
  const lookup: LookupFunction = (host, options, callback) => {
    asked.push(host);
    const answers = names[host] ?? [[]];
    const addresses = (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    if (options.all === true) callback(null, found);
    else callback(null, found[0]?.address ?? '', found[0]?.family);
  };
  return { lookup, asked };
}

describe('publicFetch', () => {
  let port: number;
  let connections = 0;
  const requests: string[] = [];
  const served = useShared(() =>
    serveHttp((request, response) => {
      requests.push(request.url ?? '');
      if (request.url === '/away') response.writeHead(302, { location: '/elsewhere' }).end();
      else response.end('here');
    }),
  );
  beforeAll(() => {
    ({ port } = served);
    served.server.on('connection', () => (connections += 1));
  });

  async function refusalOf(url: string, options: PublicFetchOptions = {}): Promise<unknown> {
    const before = connections;
    const answer = await publicFetch(options)(url).catch((error: unknown) => error);
    expect(connections).toBe(before);
    return refusedHost(answer);
  }

  it('refuses a host that is an address of the inside, before it connects', async () => {
    expect(await refusalOf(`http://127.0.0.1:${port}/`)).toBe('127.0.0.1');
    expect(await refusalOf(`http://[::1]:${port}/`)).toBe('::1');
    expect(await refusalOf(`http://[::ffff:127.0.0.1]:${port}/`)).toBe('::ffff:7f00:1');
    expect(await refusalOf(`http://2130706433:${port}/`)).toBe('127.0.0.1');
    expect(await refusalOf('http://169.254.169.254/latest/meta-data')).toBe('169.254.169.254');
  });

  it('refuses a public name that resolves to the inside', async () => {
    const { lookup } = resolver({ 'public.example': [['127.0.0.1']] });
    expect(await refusalOf(`http://public.example:${port}/`, { lookup })).toBe('public.example');
  });

  it('refuses a name of which only one address is inside', async () => {
    const { lookup } = resolver({ 'both.example': [['8.8.8.8', '127.0.0.1']] });
    expect(await refusalOf(`http://both.example:${port}/`, { lookup })).toBe('both.example');
  });

  it('judges every new connection, so that a name that moved inside is refused', async () => {
    const { lookup, asked } = resolver({ 'moves.example': [['192.0.2.1'], ['127.0.0.1']] });
    const fetch = publicFetch({ lookup });
    const url = `http://moves.example:${port}/`;
    expect(refusedHost(await fetch(url).catch((error: unknown) => error))).toBe('moves.example');
    expect(refusedHost(await fetch(url).catch((error: unknown) => error))).toBe('moves.example');
    expect(asked).toEqual(['moves.example', 'moves.example']);
  });

  it('reaches a host that may be private, and keeps its connections', async () => {
    const { lookup, asked } = resolver({ 'inside.example': [['127.0.0.1']] });
    const fetch = publicFetch({
      lookup,
      privateHosts: { anywhere: [`Inside.example.:${port}`], loopback: [] },
    });
    const before = connections;
    for (const at of ['/a', '/b', '/c', '/d', '/e', '/f']) {
      expect(await (await fetch(`http://inside.example:${port}${at}`)).text()).toBe('here');
    }
    // Two, as the next request does not wait for a connection whose answer is not read to its end.
    expect(connections - before).toBeLessThanOrEqual(2);
    expect(asked.length).toBe(connections - before);
  });

  it('reaches a host that may be private at the ports of its entry alone', async () => {
    const { lookup } = resolver({ 'inside.example': [['127.0.0.1']] });
    const other = { anywhere: ['inside.example', 'inside.example:1', '127.0.0.1:1'], loopback: [] };
    const refused = { lookup, privateHosts: other };
    expect(await refusalOf(`http://inside.example:${port}/`, refused)).toBe('inside.example');
    expect(await refusalOf(`http://127.0.0.1:${port}/`, refused)).toBe('127.0.0.1');
    const every = { anywhere: ['inside.example:*'], loopback: [] };
    const fetch = publicFetch({ lookup, privateHosts: every });
    expect(await (await fetch(`http://inside.example:${port}/`)).text()).toBe('here');
  });

  it('reaches loopback where that alone is allowed, and nothing else that is private', async () => {
    const { lookup } = resolver({
      'local.example': [['127.0.0.1']],
      'lan.example': [['10.0.0.1']],
    });
    const privateHosts = { anywhere: [], loopback: ['local.example', 'lan.example', '127.0.0.1'] };
    const fetch = publicFetch({ lookup, privateHosts });
    expect((await fetch(`http://local.example:${port}/`)).status).toBe(200);
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);
    expect(await refusalOf('http://lan.example/', { lookup, privateHosts })).toBe('lan.example');
  });

  it('gives a redirect back instead of following it', async () => {
    const fetch = publicFetch({ privateHosts: { anywhere: [], loopback: ['127.0.0.1'] } });
    const answer = await fetch(`http://127.0.0.1:${port}/away`, { redirect: 'follow' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/elsewhere']);
    expect(requests).not.toContain('/elsewhere');
  });

  it('refuses a body that is no text, before it connects', async () => {
    const fetch = publicFetch({ privateHosts: { anywhere: [], loopback: ['127.0.0.1'] } });
    const before = connections;
    const sent = fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: new FormData() });
    await expect(sent).rejects.toThrow('The body of a request is a text');
    expect(connections).toBe(before);
  });

  it('passes on what the resolver failed with', async () => {
    const gone = Object.assign(new Error('gone'), { code: 'ENOTFOUND' });
    const lookup: LookupFunction = (_host, _options, callback) => callback(gone, []);
    await expect(publicFetch({ lookup })('http://gone.example/')).rejects.toMatchObject({
      cause: { code: 'ENOTFOUND' },
    });
  });
});
