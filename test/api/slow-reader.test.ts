import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startServer, type TestServer } from '../support/start-server.js';

describe('a reader that does not read', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({
      environment: {
        TURNPIKE_MAX_BODY_BYTES: '33554432',
        TURNPIKE_MAX_MESSAGE_CHARS: '33554432',
        TURNPIKE_MAX_TOKENS: '1000000',
        // Server and readers share this process: one that reads must not seem to be one that does not.
        TURNPIKE_READER_TIMEOUT_MS: '20000',
      },
    });
  });
  afterAll(() => server.close(), 300_000);

  it('loses its connection, never the turn, and gets everything when it resumes', async () => {
    const { client, projectRoot, url } = server;
    const sessionId = await client.createSession(projectRoot);
    // Eight million characters come back in six hundred pieces: more than
    // the kernel's buffers and the server's four million hold for a client, and few tokens.
    const content = '-'.repeat(8_000_000);
    const message = `[[tool=write {"file_path":"big.txt","content":"${content}"}]] [[args=600]]`;
    const opts = { mode: 'acceptEdits', onDisconnect: 'continue' };
    const body = JSON.stringify({ sessionId, message, opts });
    const { hostname, port } = new URL(url);
    const socket = net.connect(Number(port), hostname);
    socket.pause();
    // A connection dropped with unread data is reset: the client's next write fails.
    const droppedByServer = new Promise<void>((resolve) => socket.once('error', () => resolve()));
    const poke = setInterval(() => socket.write('x'), 100);
    socket.once('error', () => clearInterval(poke));
    socket.write(
      `POST /api/harness/turn HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    const turnId = await turnOf(server, sessionId);
    const other = await client.follow(turnId);
    const frames = await other.all();
    expect(frames.at(-1)?.data).toEqual({ exitCode: 0 });
    await droppedByServer;
    const whole = await (await client.follow(turnId)).all();
    expect(whole).toEqual(frames);
    // The model counts and the server stores eight million characters several times: ten seconds alone.
  }, 300_000);
});

/** The id of the session's turn, once it is there. */
async function turnOf(server: TestServer, sessionId: string): Promise<string> {
  const until = Date.now() + 10_000;
  for (;;) {
    const { body } = await server.client.get(`/api/harness/sessions/${sessionId}/messages`);
    const [message] = body['messages'] as { turnId: string }[];
    if (message !== undefined) return message.turnId;
    if (Date.now() > until) throw new Error('The turn was not accepted');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
