import { rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startServer, type TestServer } from '../support/start-server.js';

/** One white pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);
const pdf = Buffer.from('%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n');

describe('attachments', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
    await writeFile(at('notes.txt'), 'Grüße');
    await writeFile(at('dot.png'), png);
    await writeFile(at('paper.pdf'), pdf);
  });
  afterAll(() => server.close());

  const at = (name: string): string => path.join(server.projectRoot, name);
  const contentOf = (index = -1): { type: string }[] =>
    server.modelRequests.at(-1)?.body.messages.at(index)?.content as { type: string }[];

  async function run(message: string, attachments: string[], sessionId?: string) {
    const session = sessionId ?? (await server.client.createSession(server.projectRoot));
    const stream = await server.client.turn(session, message, { attachments });
    const frames = await stream.all();
    expect(frames.at(-1)?.data).toEqual({ exitCode: 0 });
    return { sessionId: session, frames };
  }

  it('reach the model as its blocks: text first, then files in order', async () => {
    await run('Look', [at('notes.txt'), at('dot.png'), at('paper.pdf')]);
    expect(contentOf()).toEqual([
      { type: 'text', text: 'Look' },
      {
        type: 'document',
        title: 'notes.txt',
        source: { type: 'text', media_type: 'text/plain', data: 'Grüße' },
      },
      {
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: png.toString('base64') },
      },
      {
        type: 'document',
        title: 'paper.pdf',
        source: { type: 'base64', media_type: 'application/pdf', data: pdf.toString('base64') },
      },
    ]);
  });

  it('may be all a turn has', async () => {
    await run('', [at('notes.txt')]);
    expect(contentOf().map((block) => block.type)).toEqual(['document']);
  });

  it('that cannot be taken are named to the client and the model, and the turn goes on', async () => {
    const { frames } = await run('Look', [at('none.txt'), at('notes.txt'), at('a.exe')]);
    const warnings = frames.filter((frame) => frame.event === 'attachment:warning');
    expect(warnings.map((frame) => frame.data)).toEqual([
      { name: 'none.txt', reason: `Attachment file not found: ${at('none.txt')}` },
      { name: 'a.exe', reason: expect.stringContaining("Unsupported attachment extension '.exe'") },
    ]);
    const [warning, text, file] = contentOf();
    expect(warning).toMatchObject({
      text: expect.stringMatching(
        /^Attachment warning: 2 attachment\(s\) could not be processed\. Continuing with available content\.\nRejected attachments:\n- none\.txt: /,
      ),
    });
    expect([text, file?.type]).toEqual([{ type: 'text', text: 'Look' }, 'document']);
  });

  it('that are all refused leave the text, with the warning before it', async () => {
    await run('Look', [at('none.txt')]);
    expect(contentOf()).toEqual([
      { type: 'text', text: expect.stringMatching(/^Attachment warning: 1 [\s\S]*\n\nLook$/) },
    ]);
  });

  it('over a limit are refused before the stream', async () => {
    await writeFile(at('big.png'), png);
    await truncate(at('big.png'), 5 * 1024 * 1024 + 1);
    const sessionId = await server.client.createSession(server.projectRoot);
    const { status, body } = await server.client.post('/api/harness/turn', {
      sessionId,
      message: '',
      attachments: [at('big.png')],
    });
    expect([status, body['error']]).toEqual([
      400,
      expect.objectContaining({
        type: 'ATTACHMENT_FAILURE',
        details: expect.objectContaining({ rejectedAttachmentCount: 1 }),
      }),
    ]);
  });

  it('stay in the history; one that has changed since is said to have', async () => {
    await writeFile(at('draft.txt'), 'first');
    const { sessionId } = await run('Look', [at('draft.txt')]);
    await run('Again', [], sessionId);
    expect(JSON.stringify(contentOf(0))).toContain('"data":"first"');
    await writeFile(at('draft.txt'), 'second');
    await run('And again', [], sessionId);
    expect(JSON.stringify(contentOf(0))).not.toMatch(/"data":"(first|second)"/);
    expect(JSON.stringify(contentOf(0))).toContain('draft.txt');
    await rm(at('draft.txt'));
    await run('Once more', [], sessionId);
    expect(JSON.stringify(contentOf(0))).toContain('draft.txt');
  });

  it('are in the session’s messages by name and size', async () => {
    const { sessionId } = await run('Look', [at('notes.txt')]);
    const { body } = await server.client.get(`/api/harness/sessions/${sessionId}/messages`);
    expect(body['messages']).toEqual([
      expect.objectContaining({
        role: 'user',
        parts: [
          { type: 'text', text: 'Look' },
          {
            type: 'file',
            name: 'notes.txt',
            path: at('notes.txt'),
            mimeType: 'text/plain',
            size: 7,
          },
        ],
      }),
      expect.objectContaining({ role: 'assistant', status: 'complete' }),
    ]);
  });
});
