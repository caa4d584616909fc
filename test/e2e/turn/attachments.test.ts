import { copyFile, mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { testPdf } from '../../support/files/test-pdf.js';
import { useServer } from '../../support/processes/start-server.js';

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../fixtures/files/${name}`, import.meta.url));

/** One white pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);
const pdf = testPdf({ pages: 1 });

describe('attachments', () => {
  const server = useServer();
  beforeAll(async () => {
    await writeFile(at('notes.txt'), 'Grüße');
    await writeFile(at('dot.png'), png);
    await writeFile(at('paper.pdf'), pdf);
  });

  const at = (name: string): string => path.join(server.projectRoot, name);
  const contentOf = (index = -1): { type: string }[] => {
    const content = server.modelRequests.at(-1)?.body.messages.at(index)?.content;
    // The marks for the provider's cache are no part of what was sent.
    return (content as { type: string; cache_control?: object }[]).map(
      ({ cache_control: _mark, ...block }) => block,
    );
  };

  async function run(message: string, attachments: string[], sessionId?: string) {
    const session = sessionId ?? (await server.client.createSession(server.projectRoot));
    const stream = await server.client.turn(session, message, { attachments });
    const frames = await stream.all();
    expect(frames.at(-1)?.data).toEqual({ exitCode: 0 });
    return { sessionId: session, frames };
  }

  it('are sent back as they came, and a browser shows images alone', async () => {
    const form = new FormData();
    form.append('files', new Blob(['<script>go()</script>']), 'a page.txt');
    form.append('files', new Blob([png]), 'dot.png');
    const route = `${server.url}/api/harness/attachments`;
    const sent = await fetch(route, { method: 'POST', body: form });
    const { attachments } = (await sent.json()) as { attachments: { id: string }[] };
    const found = await Promise.all(
      attachments.map(async ({ id }) => {
        const answer = await fetch(`${route}/${id}`);
        return {
          shown: answer.headers.get('content-disposition'),
          type: answer.headers.get('content-type'),
          bytes: Buffer.from(await answer.arrayBuffer()),
        };
      }),
    );
    expect(found).toEqual([
      {
        shown: "attachment; filename*=UTF-8''a%20page.txt",
        type: 'application/octet-stream',
        bytes: Buffer.from('<script>go()</script>'),
      },
      { shown: "inline; filename*=UTF-8''dot.png", type: 'image/png', bytes: png },
    ]);
  });

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
    await writeFile(at('a.exe'), 'MZ\0\x03');
    const { frames } = await run('Look', [at('none.txt'), at('notes.txt'), at('a.exe')]);
    const warnings = frames.filter((frame) => frame.event === 'attachment:warning');
    expect(warnings.map((frame) => frame.data)).toEqual([
      {
        name: 'none.txt',
        reason: `Attachment file not found: ${at('none.txt')}`,
        index: 0,
      },
      {
        name: 'a.exe',
        reason: expect.stringContaining("Unsupported attachment extension '.exe'"),
        index: 2,
      },
    ]);
    const [warning, text, file] = contentOf();
    expect(warning).toMatchObject({
      text: expect.stringMatching(
        /^Attachment warning: 2 attachment\(s\) could not be processed\. Continuing with available content\.\nRejected attachments:\n- none\.txt: /,
      ),
    });
    expect([text, file?.type]).toEqual([{ type: 'text', text: 'Look' }, 'document']);
  });

  it('of one name are distinguished by their index, also where only reading them shows a fault', async () => {
    for (const folder of ['one', 'two']) await mkdir(at(folder));
    await writeFile(at('one/a.pdf'), '%PDF-1.4 half');
    await writeFile(at('two/a.pdf'), '');
    const { frames } = await run('Look', [at('three/a.pdf'), at('one/a.pdf'), at('two/a.pdf')]);
    const warnings = frames.filter((frame) => frame.event === 'attachment:warning');
    expect(warnings.map((frame) => frame.data)).toEqual([
      { name: 'a.pdf', reason: expect.stringContaining('not found'), index: 0 },
      { name: 'a.pdf', reason: expect.stringContaining('is no whole PDF'), index: 1 },
      { name: 'a.pdf', reason: 'The file is empty', index: 2 },
    ]);
    const logged = server.logLines.filter((line) => line.includes('an attachment was refused'));
    expect(logged.at(-1)).toContain('"level":"debug"');
  });

  it('that are all refused leave the text, with the warning before it', async () => {
    await run('Look', [at('none.txt')]);
    expect(contentOf()).toEqual([
      { type: 'text', text: expect.stringMatching(/^Attachment warning: 1 [\s\S]*\n\nLook$/) },
    ]);
  });

  it('over a limit are refused before the stream', async () => {
    await writeFile(at('big.png'), '');
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

  it('stay as they were sent, whatever becomes of the file', async () => {
    await writeFile(at('draft.txt'), 'first');
    const { sessionId } = await run('Look', [at('draft.txt')]);
    await writeFile(at('draft.txt'), 'second');
    await run('Again', [], sessionId);
    expect(JSON.stringify(contentOf(0))).toContain('"data":"first"');
    await rm(at('draft.txt'));
    await run('Once more', [], sessionId);
    expect(JSON.stringify(contentOf(0))).toContain('"data":"first"');
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
            id: expect.stringMatching(/^file_[\w-]+_1$/),
            url: expect.stringMatching(/^\/api\/harness\/attachments\/file_[\w-]+_1$/),
          },
        ],
      }),
      expect.objectContaining({ role: 'assistant', status: 'complete' }),
    ]);
  });

  const notices = (frames: { event: string; data: unknown }[]) =>
    frames
      .filter(({ event }) => event === 'system:notice')
      .map(({ data }) => data as { kind: string; text: string })
      .filter(({ kind }) => kind === 'attachment-shown')
      .map(({ text }) => text);

  it('are shown as their text where the model reads no such files, and the client gets a notice', async () => {
    const names = ['report.docx', 'ledger.xlsx', 'talk.pptx'];
    for (const name of names) await copyFile(fixture(name), at(name));
    const { frames } = await run('Look', names.map(at));
    expect(contentOf()).toEqual([
      { type: 'text', text: 'Look' },
      ...names.map((title) => ({
        type: 'document',
        title,
        source: {
          type: 'text',
          media_type: 'text/plain',
          data: expect.stringMatching(/Thérèse|lighthouse/),
        },
      })),
    ]);
    const why = 'is shown to the model as text: the model reads no office documents';
    expect(notices(frames)).toEqual(names.map((name) => `${name} ${why}`));
  });

  it('are text in whatever encoding, whatever their first letters are', async () => {
    for (const name of ['ledger-utf-16.csv', 'ledger-windows-1252.csv']) {
      await copyFile(fixture(name), at(name));
    }
    await writeFile(at('cars.csv'), 'BMW,1');
    const names = ['ledger-utf-16.csv', 'ledger-windows-1252.csv', 'cars.csv'];
    const { frames } = await run('Look', names.map(at));
    expect(frames.map(({ event }) => event)).not.toContain('attachment:warning');
    expect(JSON.stringify(contentOf())).toMatch(/Marie-Thérèse.*Marie-Thérèse.*BMW,1/s);
  });

  it('are read once, and shown the same way in every turn', async () => {
    await copyFile(fixture('report.docx'), at('again.docx'));
    const { sessionId } = await run('Look', [at('again.docx')]);
    const first = contentOf();
    const { frames } = await run('And?', [], sessionId);
    expect(contentOf(0)).toEqual(first);
    expect(notices(frames)).toEqual([]);
  });

  it('of pictures are turned upright, and the client gets a notice', async () => {
    await copyFile(fixture('photo-orientation-6.jpg'), at('photo.jpg'));
    const { frames } = await run('Look', [at('photo.jpg')]);
    expect(notices(frames)).toEqual(['photo.jpg: turned upright']);
    expect(contentOf().map(({ type }) => type)).toEqual(['text', 'image']);
    const form = new FormData();
    form.append('f', new Blob([await readFile(fixture('photo-orientation-6.jpg'))]), 'sent.jpg');
    const url = `${server.url}/api/harness/attachments`;
    const answer = await fetch(url, { method: 'POST', body: form });
    const sent = (await answer.json()) as { attachments: { id: string; changed: string }[] };
    expect(sent.attachments[0]?.changed).toBe('turned upright');
    const later = await run('Look', [sent.attachments[0]?.id ?? '']);
    expect(notices(later.frames)).toEqual(['sent.jpg: turned upright']);
  });

  it('are read by OCR where the turn asks for text', async () => {
    await copyFile(fixture('scan.png'), at('scan.png'));
    const session = await server.client.createSession(server.projectRoot);
    const more = { attachments: [at('scan.png')], opts: { attachmentsAs: 'text' } };
    const frames = await (await server.client.turn(session, 'Read', more)).all();
    expect(JSON.stringify(contentOf())).toContain('counted forty-two ships');
    expect(notices(frames)).toEqual([
      'scan.png is shown to the model as text read by OCR: the agent asks for text',
    ]);
  });

  it('are cited where the turn asks for it', async () => {
    const session = await server.client.createSession(server.projectRoot);
    const attachments = [at('notes.txt'), at('paper.pdf')];
    const opts = { citations: true };
    const frames = await (
      await server.client.turn(session, '[[cite]]', { attachments, opts })
    ).all();
    expect(contentOf()).toEqual([
      expect.anything(),
      expect.objectContaining({ title: 'notes.txt', citations: { enabled: true } }),
      expect.objectContaining({ title: 'paper.pdf', citations: { enabled: true } }),
    ]);
    const cited = frames.filter(({ event }) => event === 'source').map(({ data }) => data);
    expect(cited).toEqual([
      expect.objectContaining({
        type: 'document',
        title: 'paper.pdf',
        location: { unit: 'page', start: 1, end: 2 },
      }),
    ]);
  });

  it('outside of the project are refused', async () => {
    const { frames } = await run('Look', [fixture('report.pdf')]);
    const [warning] = frames.filter(({ event }) => event === 'attachment:warning');
    expect(warning?.data).toMatchObject({
      reason: expect.stringContaining('must lie inside the session'),
    });
  });

  describe('that are sent before their turn', () => {
    const send = async (files: [string, Uint8Array | string][]) => {
      const form = new FormData();
      for (const [name, content] of files) form.append('files', new Blob([content]), name);
      const response = await fetch(`${server.url}/api/harness/attachments`, {
        method: 'POST',
        body: form,
      });
      const body = (await response.json()) as {
        attachments: { id: string }[];
        error?: { type: string };
      };
      return { status: response.status, body };
    };

    const large = Buffer.alloc(10 * 1024 * 1024 + 1, 'a');
    const largeRefused = {
      path: 'big.txt',
      reason: 'Attachment exceeds per-file size limit (10485760 bytes)',
    };

    it('are named in it by their ids', async () => {
      const report = await readFile(fixture('report.pdf'));
      const { status, body } = await send([
        ['../../report.pdf', report],
        ['tool.exe', 'MZ\0\x03'],
      ]);
      expect([status, body]).toEqual([
        200,
        {
          attachments: [
            {
              id: expect.stringMatching(/^att_/),
              name: 'report.pdf',
              mimeType: 'application/pdf',
              size: report.length,
            },
          ],
          errors: [{ path: 'tool.exe', reason: expect.stringContaining("'.exe'") }],
        },
      ]);
      await run('Look', [body.attachments[0]?.id ?? '', at('notes.txt')]);
      expect(contentOf()).toMatchObject([
        { type: 'text' },
        { title: 'report.pdf', source: { data: report.toString('base64') } },
        { title: 'notes.txt' },
      ]);
    });

    it('are refused when none can be taken, each with its reason', async () => {
      const { status, body } = await send([['a.exe', 'MZ\0\x03']]);
      expect([status, body.error]).toEqual([
        400,
        expect.objectContaining({
          type: 'ATTACHMENT_FAILURE',
          details: {
            attachmentErrors: [{ path: 'a.exe', reason: expect.any(String) }],
            rejectedAttachmentCount: 1,
          },
        }),
      ]);
    });

    it('are refused when they are no form, or too much', async () => {
      const headers = { 'content-type': 'application/json' };
      const json = await server.client.request('POST', '/api/harness/attachments', {
        headers,
        body: '{}',
      });
      expect([json.status, json.body['error']]).toEqual([
        400,
        expect.objectContaining({ type: 'INVALID_REQUEST' }),
      ]);
      const { status, body } = await send([['big.txt', large]]);
      expect([status, body.error]).toEqual([
        400,
        expect.objectContaining({
          type: 'ATTACHMENT_FAILURE',
          details: { attachmentErrors: [largeRefused], rejectedAttachmentCount: 1 },
        }),
      ]);
    });

    it('are refused alone when they are too large', async () => {
      const { status, body } = await send([
        ['big.txt', large],
        ['small.txt', 'a'],
      ]);
      expect([status, body]).toEqual([
        200,
        {
          attachments: [expect.objectContaining({ name: 'small.txt', size: 1 })],
          errors: [largeRefused],
        },
      ]);
    });
  });
});
