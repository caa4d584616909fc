import { once } from 'node:events';
import net from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { expectSoon } from '../../support/expect-soon.js';
import { type TestServer, useServer } from '../../support/processes/start-server.js';

describe('a reader that does not read', () => {
  const server = useServer({
    environment: {
      TURNPIKE_MAX_BODY_BYTES: '33554432',
      TURNPIKE_MAX_MESSAGE_CHARS: '33554432',
      TURNPIKE_MAX_TOKENS: '1000000',
      TURNPIKE_READER_TIMEOUT_MS: '5000',
    },
  });

  it('loses its connection, never the turn, and gets everything when it resumes', async () => {
    const { client, projectRoot, url } = server;
    const sessionId = await client.createSession(projectRoot);
    // The stream has the content twice, in pieces and whole: more than the kernel's buffers hold for a
    // client, which is 4 MiB of the server's.
    const content = '-'.repeat(4_000_000);
    const message = `[[tool=write {"file_path":"big.txt","content":"${content}"}]] [[args=300]]`;
    const opts = { mode: 'acceptEdits', onDisconnect: 'continue' };
    const body = JSON.stringify({ sessionId, message, opts });
    const { hostname, port } = new URL(url);
    const socket = net.connect(Number(port), hostname);
    socket.pause();
    socket.write(
      `POST /api/harness/turn HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    const turnId = await turnOf(server, sessionId);
    const frames = await (await client.follow(turnId)).all();
    expect(frames.at(-1)?.data).toEqual({ exitCode: 0 });
    await expectSoon(() => {
      const lines = server.logLines.filter((line) => line.includes('"closedBy":"slow"'));
      expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
        { method: 'POST', route: '/api/harness/turn' },
      ]);
    });
    // Bytes that the kernel had taken still arrive, and end somewhere in the stream.
    let received = '';
    socket.setEncoding('utf8').on('data', (text: string) => (received += text));
    socket.resume();
    await once(socket, 'close');
    expect(received).toContain('event: session:init');
    expect(received).not.toContain('event: process:exit');
    const whole = await (await client.follow(turnId)).all();
    expect(whole).toEqual(frames);
  });
});

/** The id of the session's turn, once it is there. */
async function turnOf(server: TestServer, sessionId: string): Promise<string> {
  let turnIds: string[] = [];
  await expectSoon(async () => {
    const { body } = await server.client.get(`/api/harness/sessions/${sessionId}/messages`);
    turnIds = (body['messages'] as { turnId: string }[]).map(({ turnId }) => turnId);
    expect(turnIds).not.toEqual([]);
  });
  return String(turnIds[0]);
}
