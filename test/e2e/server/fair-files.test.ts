import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeKey } from '../../support/clients/keyed-client.js';
import { startServer, type TestServer } from '../../support/processes/start-server.js';

const fixture = (name: string): Promise<Buffer> =>
  readFile(fileURLToPath(new URL(`../../fixtures/files/${name}`, import.meta.url)));

/** More files than all readers could read in the time of a test: each takes as long as it may. */
const HOSTILE = 40;
const slowPage = (index: number): Buffer => Buffer.from(`${index}${'<div>'.repeat(300_000)}`);

/** An answer whose head has arrived. */
interface Answer {
  response: Response;
  /** The part of the stream that has arrived. */
  text(): string;
  /** The whole stream. */
  end: Promise<string>;
}

describe('files that take for ever to read', () => {
  let server: TestServer;
  const leave = new AbortController();
  const keys: Record<string, string> = {};
  beforeAll(async () => {
    server = await startServer();
    for (const principal of ['hostile', 'friend']) {
      const { secret } = await makeKey(server, { principal });
      keys[principal] = secret;
    }
  });
  afterAll(async () => {
    leave.abort();
    await server.close();
  });

  async function ask(principal: string, name: string, content: Buffer): Promise<Answer> {
    const form = new FormData();
    form.append('message', `Look at ${name}`);
    form.append('files', new Blob([content]), name);
    const response = await fetch(`${server.url}/agent/WORKING_ITEMS/chat/stream`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys[principal] ?? ''}` },
      body: form,
      signal: leave.signal,
    });
    let text = '';
    const read = async (): Promise<string> => {
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) text += decoder.decode(chunk as Uint8Array);
      return text;
    };
    const end = read();
    // Streams that the test leaves in the middle end with an error, as intended.
    end.catch(() => undefined);
    return { response, text: () => text, end };
  }

  it('delay neither another user’s small file nor the head of any answer', async () => {
    const hostile: Answer[] = [];
    for (let index = 0; index < HOSTILE; index += 1) {
      hostile.push(await ask('hostile', `slow-${index}.html`, slowPage(index)));
    }
    // A picture that must be turned is a job, too: behind the others of its user.
    const picture = await ask('hostile', 'photo.jpg', await fixture('photo-orientation-6.jpg'));
    expect([picture.response.status, picture.text()]).toEqual([
      200,
      expect.not.stringContaining('stream_end'),
    ]);
    const small = await ask('friend', 'report.docx', await fixture('report.docx'));
    expect(await small.end).toContain('event: stream_end');
    const request = server.modelRequests.find(({ body }) =>
      JSON.stringify(body).includes('Look at report.docx'),
    );
    expect(JSON.stringify(request?.body)).toContain('Salt from Brittany');
    const ended = hostile.filter(({ text }) => text().includes('stream_end'));
    expect(ended).toHaveLength(0);
    // A turn whose files are queued can be interrupted: no step of it has to finish first.
    const sessionId = picture.response.headers.get('x-session-id') ?? '';
    const headers = { authorization: `Bearer ${keys['hostile'] ?? ''}` };
    const url = `${server.url}/sessions/${sessionId}`;
    expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(204);
    await picture.end;
  });
});
