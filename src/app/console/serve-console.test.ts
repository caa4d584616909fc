import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import http, { type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express, { type ErrorRequestHandler } from 'express';
import { TypedError } from '../../errors/typed-error.js';
import { serveConsole } from './serve-console.js';
import { newFolder } from '../../../test/support/suite.js';

const page = '<!doctype html><title>Console</title>';
const script = 'console.log(1);'.repeat(100);

interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

/** The console over a folder, in front of routes that answer with their name. */
async function start(folder: string): Promise<{ server: Server; port: number }> {
  const app = express();
  app.use(await serveConsole(folder, (where) => where === '/health'));
  app.get('/agents', (_request, response) => void response.json({ agents: [] }));
  app.use((_request, response) => void response.status(418).end());
  const onError: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
    const { status, type } = error instanceof TypedError ? error : { status: 500, type: '' };
    response.status(status).json({ type });
  };
  app.use(onError);
  const server = await new Promise<Server>((resolve) => {
    const listening = app.listen(0, '127.0.0.1', () => resolve(listening));
  });
  return { server, port: (server.address() as AddressInfo).port };
}

describe('the console', () => {
  let server: Server;
  let port: number;
  const folder = newFolder();
  beforeAll(async () => {
    const web = path.join(folder, 'web');
    await mkdir(path.join(web, 'assets'), { recursive: true });
    await writeFile(path.join(folder, 'secret.txt'), 'secret');
    await writeFile(path.join(web, 'index.html'), page);
    await writeFile(path.join(web, 'diagram.html'), page);
    await writeFile(path.join(web, 'assets/index-Bx7.js'), script);
    await writeFile(path.join(web, 'assets/index-Bx7.js.br'), brotliCompressSync(script));
    await writeFile(path.join(web, 'assets/index-Bx7.js.gz'), gzipSync(script));
    await writeFile(path.join(web, 'assets/gone-1.js'), script);
    ({ server, port } = await start(web));
    await rm(path.join(web, 'assets/gone-1.js'));
    await writeFile(path.join(web, 'assets/late-1.js'), script);
  });
  afterAll(async () => {
    server.close();
  });

  /** A request by hand: `fetch` removes `..` from paths and compression from bodies. */
  function ask(
    where: string,
    headers: Record<string, string> = {},
    method = 'GET',
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const request = http.request({ host: '127.0.0.1', port, path: where, method, headers });
      request.once('error', reject).once('response', (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.once('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(pieces),
          }),
        );
      });
      request.end();
    });
  }

  it.each([
    '/',
    '/?x=1',
    '/settings',
    '/approvals',
    '/queue',
    '/memory',
    '/schedules',
    '/webhooks',
    '/keys',
    '/usage',
    '/help',
    '/help/guide/models',
    '/sessions/sess_00000000-0000-4000-8000-000000000000',
    '/turns/turn_00000000-0000-4000-8000-000000000000',
    '/turns/turn_00000000-0000-4000-8000-000000000000/compare/turn_1',
  ])('answers %s with its page', async (where) => {
    const { status, headers, body } = await ask(where);
    expect([status, headers['content-type'], body.toString()]).toEqual([
      200,
      'text/html; charset=utf-8',
      page,
    ]);
    expect(headers['cache-control']).toBe('no-cache');
    expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self';");
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(headers).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
  });

  it.each<[string, string, number]>([
    ['/nonsense', 'text/html', 404],
    ['/sessions/a/b', 'text/html,*/*;q=0.8', 404],
    ['/nonsense', '*/*', 418],
    ['/nonsense', 'application/json', 418],
    ['/health', 'text/html', 418],
    ['/api/none', 'text/html', 418],
    ['/v1/none', 'text/html', 418],
    ['/assets/none.js', 'text/html', 418],
  ])(
    'answers %s, asked for %s, with %i: its page where nothing else is',
    async (where, accept, status) => {
      const answer = await ask(where, { accept });
      expect(answer.status).toBe(status);
      expect(answer.body.toString() === page).toBe(status === 404);
    },
  );

  it('lets the page that draws diagrams have styles, and nothing else', async () => {
    const { status, headers } = await ask('/diagram.html');
    const policy = headers['content-security-policy'];
    expect([status, policy]).toEqual([200, expect.stringContaining("style-src 'unsafe-inline';")]);
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).toContain("frame-ancestors 'self'");
  });

  it('serves the page on every path that the page knows', async () => {
    const router = await readFile(new URL('../../../web/src/app/app.tsx', import.meta.url), 'utf8');
    const known = [...router.matchAll(/<Route path="([^"]+)"/g)].map(([, one = '']) =>
      one.replace('/*?', '').replaceAll(/:\w+/g, 'some-1'),
    );
    expect(known.length).toBeGreaterThan(10);
    const asked = known.map(async (one) => [one, (await ask(one, { accept: 'text/html' })).status]);
    expect(await Promise.all(asked)).toEqual(known.map((one) => [one, 200]));
  });

  it('answers HEAD, and that nothing has changed', async () => {
    const { headers } = await ask('/', {}, 'HEAD');
    expect(headers['content-length']).toBe(String(page.length));
    const again = await ask('/', { 'if-none-match': headers.etag ?? '' });
    expect([again.status, again.body.length]).toEqual([304, 0]);
  });

  it.each<[string | undefined, string | undefined, Buffer]>([
    [undefined, undefined, Buffer.from(script)],
    ['identity', undefined, Buffer.from(script)],
    ['gzip, deflate', 'gzip', gzipSync(script)],
    ['gzip, deflate, br, zstd', 'br', brotliCompressSync(script)],
    ['br;q=0, gzip', 'gzip', gzipSync(script)],
  ])('sends to who accepts %s what is %s', async (accepted, encoding, expected) => {
    const asked: Record<string, string> =
      accepted === undefined ? {} : { 'accept-encoding': accepted };
    const { status, headers, body } = await ask('/assets/index-Bx7.js', asked);
    expect([status, headers['content-encoding']]).toEqual([200, encoding]);
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(headers['vary']).toContain('Accept-Encoding');
    expect(body.equals(expected)).toBe(true);
  });

  it.each([
    '/assets/../../secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/..%5csecret.txt',
    '/../secret.txt',
    '//secret.txt',
    '/assets/',
    '/assets',
    '/assets/index-Bx7.js.br',
    '/assets/late-1.js',
    '/assets/index-Bx7.js%00',
    '/sessions/',
    '/sessions/a/b',
    '/sessions/..',
    '/setting',
    '/api/harness/sessions',
  ])('leaves %s to the routes', async (where) => {
    expect((await ask(where)).status).toBe(418);
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('leaves %s to the routes', async (method) => {
    expect((await ask('/sessions/x', {}, method)).status).toBe(418);
  });

  it.each<[string, string | undefined, RegExp]>([
    ['a browser', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', /html/],
    ['a program', 'application/json', /json/],
    ['a program that takes anything', '*/*', /json/],
    ['a program that says nothing', undefined, /json/],
  ])('leaves /agents to the API, but for a page: %s', async (_who, accept, type) => {
    const { status, headers } = await ask('/agents', accept === undefined ? {} : { accept });
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(type);
    expect(headers['vary']).toContain('Accept');
  });

  it('says what to do where a file is gone, or nothing was built', async () => {
    const gone = await ask('/assets/gone-1.js');
    expect([gone.status, JSON.parse(gone.body.toString())]).toEqual([
      404,
      { type: 'CONSOLE_NOT_BUILT' },
    ]);
    expect(gone.headers['cache-control']).toBeUndefined();
    const handle = await serveConsole(path.join(folder, 'nothing'));
    const errors: unknown[] = [];
    for (const where of ['/', '/settings', '/assets/index-Bx7.js', '/health']) {
      const request = Object.create(express.request, {
        method: { value: 'GET' },
        path: { value: where },
      }) as express.Request;
      await handle(request, Object.create(express.response) as express.Response, (error) =>
        errors.push(error),
      );
    }
    const missing = expect.objectContaining({ status: 404, type: 'CONSOLE_NOT_BUILT' });
    expect(errors).toEqual([missing, missing, undefined, undefined]);
  });
});
