import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type ClientHttp2Session } from 'node:http2';
import { Agent, fetch } from 'undici';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startNginx } from '../../scripts/cluster/start-nginx.mjs';
import { writeCertificate } from '../support/processes/own-certificate.js';
import { startServer, type TestServer } from '../support/processes/start-server.js';
import { newFolder } from '../support/suite.js';

let server: TestServer;
let gateway: { url: string; stop: () => Promise<void> };
let authority: string;
beforeAll(async () => {
  server = await startServer();
  const tls = await writeCertificate(newFolder());
  authority = await readFile(tls.certificate, 'utf8');
  const started = await startNginx({ apiUrls: [server.url], tls });
  if (started === undefined) throw new Error('There is no nginx: apt-get install nginx-light');
  gateway = started;
});
afterAll(async () => {
  await gateway.stop();
  await server.close();
});

const ENDED = /event: process:exit\nid: .*\ndata: \{"exitCode":0\}/;
const MESSAGE = '[[tokens=60 gap=40]]';

/** The body of a turn, and milliseconds from its first bytes to its last ones. */
interface Read {
  text: string;
  tookMs: number;
}

it('the lines for TLS of deploy/nginx.conf stream over HTTP/2, event by event', async () => {
  const session = connect(gateway.url, { ca: authority });
  await once(session, 'connect');
  expect(session.alpnProtocol).toBe('h2');
  const sessionId = await server.client.createSession(server.projectRoot);
  const { text, tookMs } = await postTurn(session, { sessionId, message: MESSAGE });
  session.close();
  expect(text).toContain('event: chat:delta');
  expect(text).toMatch(ENDED);
  // Sixty words at 40 ms each: a proxy that buffers would give all of them at once.
  expect(tookMs).toBeGreaterThan(1_000);
});

it('they stream over HTTP/1.1, too', async () => {
  const dispatcher = new Agent({ connect: { ca: authority }, allowH2: false });
  const sessionId = await server.client.createSession(server.projectRoot);
  const answer = await fetch(`${gateway.url}/api/harness/turn`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sessionId, message: MESSAGE }),
    dispatcher,
  });
  expect(answer.status).toBe(200);
  expect(await answer.text()).toMatch(ENDED);
  await dispatcher.close();
});

it('a client without the authority is refused', async () => {
  const session = connect(gateway.url);
  await expect(once(session, 'connect')).rejects.toMatchObject({
    code: expect.stringMatching(/SELF_SIGNED|UNABLE_TO_VERIFY/),
  });
});

async function postTurn(session: ClientHttp2Session, body: object): Promise<Read> {
  const request = session.request({
    ':method': 'POST',
    ':path': '/api/harness/turn',
    'content-type': 'application/json',
  });
  request.setEncoding('utf8').end(JSON.stringify(body));
  let text = '';
  let firstAt: number | undefined;
  for await (const chunk of request) {
    firstAt ??= performance.now();
    text += String(chunk);
  }
  return { text, tookMs: performance.now() - (firstAt ?? Infinity) };
}
