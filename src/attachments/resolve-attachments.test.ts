import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { openTestAttachments } from '../../test/support/files/test-attachments.js';
import type { AttachmentRef } from '../storage/shapes/stored-step.js';
import { harnessLimits } from './file-limits.js';
import type { ReceivedFile } from './blob-store.js';
import { resolveAttachments, type AttachmentInput, composePrompt } from './resolve-attachments.js';
import { newFolder, useShared } from '../../test/support/suite.js';

const MiB = 1024 * 1024;
const outside =
  "Attachment path must lie inside the session's project root or a folder of TURNPIKE_ATTACHMENT_ROOTS; send other files to POST /api/harness/attachments";

const opened = useShared(openTestAttachments);

let folder: string;
beforeEach(async () => {
  folder = newFolder();
});

const at = (name: string) => join(folder, name);

const resolve = (named: readonly string[], input: Partial<AttachmentInput> = {}) =>
  resolveAttachments(opened.attachments, {
    named,
    sent: [],
    roots: [folder],
    limits: harnessLimits,
    ...input,
  });

/** A sparse file of so many zero bytes. */
async function sparse(name: string, size: number): Promise<string> {
  await writeFile(at(name), '');
  await truncate(at(name), size);
  return at(name);
}

const reasonFor = async (path: string): Promise<string | undefined> => {
  const { files, errors } = await resolve([path]);
  expect(files).toEqual([]);
  expect(errors.map((error) => error.path)).toEqual([path]);
  return errors[0]?.reason;
};

async function sent(name: string, content: Uint8Array): Promise<ReceivedFile> {
  async function* whole() {
    yield content;
  }
  return { name, ...(await opened.attachments.store.put(whole())) };
}

describe('resolveAttachments', () => {
  it('gives name, type, size and hash, in input order', async () => {
    await writeFile(at('b.md'), 'héllo');
    await writeFile(at('a.PNG'), 'plain words');
    const { files, errors } = await resolve([at('b.md'), at('a.PNG')]);
    expect(errors).toEqual([]);
    expect(files).toEqual([
      {
        name: 'b.md',
        path: at('b.md'),
        mimeType: 'text/markdown',
        size: 6,
        index: 0,
        sha256: createHash('sha256').update('héllo').digest('hex'),
      },
      expect.objectContaining({ name: 'a.PNG', mimeType: 'text/plain', size: 11 }),
    ]);
  });

  it('gives nothing for nothing', async () => {
    expect(await resolve([])).toEqual({ files: [], errors: [] });
  });

  it('accepts an empty file, and the same file twice', async () => {
    await writeFile(at('e.txt'), '');
    const { files } = await resolve([at('e.txt'), at('e.txt')]);
    expect(files.map((file) => file.size)).toEqual([0, 0]);
    expect(files[0]?.sha256).toBe(createHash('sha256').digest('hex'));
  });

  it('keeps the order of errors and goes on after each', async () => {
    await writeFile(at('ok.txt'), 'x');
    const paths = ['relative.txt', at('gone.txt'), at('ok.txt'), at('x.exe')];
    const { files, errors } = await resolve(paths);
    expect(files.map((file) => file.name)).toEqual(['ok.txt']);
    expect(errors.map((error) => error.path)).toEqual([
      'relative.txt',
      at('gone.txt'),
      at('x.exe'),
    ]);
  });

  it('refuses a missing file, and a path through a file', async () => {
    expect(await reasonFor(at('no.txt'))).toBe(`Attachment file not found: ${at('no.txt')}`);
    await writeFile(at('f.txt'), '');
    const through = at('f.txt/g.txt');
    expect(await reasonFor(through)).toBe(`Attachment file not accessible: ${through}`);
  });

  it('refuses a path no system takes', async () => {
    expect(await reasonFor('/a\u0000.txt')).toBe('Attachment file not accessible: /a\u0000.txt');
    const { errors } = await resolve([`/${'n'.repeat(300)}.txt`]);
    const shown = `…${'n'.repeat(195)}.txt`;
    const reason = `Attachment file not accessible: ${shown}`;
    expect(errors).toEqual([{ path: shown, reason, index: 0 }]);
  });

  it('refuses a link, by what it leads to', async () => {
    await writeFile(at('real.txt'), 'x');
    await mkdir(at('real.md'));
    for (const [target, link] of [
      ['real.txt', 'file.txt'],
      ['real.md', 'folder.md'],
    ] as const) {
      await symlink(target, at(link));
      expect(await reasonFor(at(link))).toBe(
        'Attachment path must reference a regular file (symbolic links are rejected)',
      );
    }
    await symlink('nowhere.txt', at('dangling.txt'));
    expect(await reasonFor(at('dangling.txt'))).toBe(
      `Attachment file not found: ${at('dangling.txt')}`,
    );
    await symlink('loop.txt', at('loop.txt'));
    expect(await reasonFor(at('loop.txt'))).toBe(
      `Attachment file not accessible: ${at('loop.txt')}`,
    );
  });

  it('refuses a folder and a named pipe without waiting for a writer', async () => {
    await mkdir(at('folder.png'));
    execFileSync('sh', ['-c', 'mkfifo "$0"', at('pipe.txt')]);
    const regular = 'Attachment path must reference a regular file';
    expect(await reasonFor(at('folder.png'))).toBe(regular);
    expect(await reasonFor(at('pipe.txt'))).toBe(regular);
  });

  it('refuses a socket', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(at('s.txt'), resolve));
    const reason = await reasonFor(at('s.txt'));
    await new Promise((resolve) => server.close(resolve));
    expect(reason).toBe('Attachment path must reference a regular file');
  });

  it('refuses an unreadable file', async () => {
    await writeFile(at('u.txt'), 'x');
    await chmod(at('u.txt'), 0);
    // Root may read everything: the test runs as another user.
    const isRoot = process.getuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    try {
      expect(await reasonFor(at('u.txt'))).toBe(`Attachment file not readable: ${at('u.txt')}`);
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });

  it('holds the limits of a file at their boundaries', async () => {
    const paths = [
      await sparse('exact.pdf', 10 * MiB),
      await sparse('over.pdf', 10 * MiB + 1),
      await sparse('exact.png', 5 * MiB),
    ];
    const { files, errors } = await resolve(paths);
    expect(files.map((file) => file.name)).toEqual(['exact.pdf', 'exact.png']);
    expect(errors.map((error) => error.reason)).toEqual([
      'Attachment exceeds per-file size limit (10485760 bytes)',
    ]);
    expect(await reasonFor(await sparse('over.png', 5 * MiB + 1))).toBe(
      "Attachment exceeds the model's image size limit (5242880 bytes)",
    );
  });

  it('spends the budget in input order, up to the last byte', async () => {
    const nine = await sparse('nine.pdf', 9 * MiB);
    const most = await sparse('most.pdf', 9 * MiB - 1);
    const two = await sparse('two.txt', 2);
    const one = await sparse('one.pdf', 1);
    const none = await sparse('none.pdf', 0);
    const { files, errors } = await resolve([nine, most, two, one, one, none]);
    expect(files.map((file) => file.name)).toEqual(['nine.pdf', 'most.pdf', 'one.pdf', 'none.pdf']);
    const reason = 'Attachment exceeds per-turn size budget (18874368 bytes total)';
    expect(errors).toEqual([
      { path: two, reason, index: 2 },
      { path: one, reason, index: 4 },
    ]);
  });

  it('hashes the whole of a large file', async () => {
    const bytes = Buffer.alloc(3 * MiB + 7, 'abc');
    await writeFile(at('large.txt'), bytes);
    const { files } = await resolve([at('large.txt')]);
    expect(files[0]?.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
  });

  it('takes at most as many files as are allowed', async () => {
    await writeFile(at('a.txt'), 'a');
    const { files, errors } = await resolve(Array.from({ length: 22 }, () => at('a.txt')));
    expect(files).toHaveLength(20);
    expect(errors.map(({ reason }) => reason)).toEqual([
      'Attachment exceeds per-turn limit of 20 files',
      'Attachment exceeds per-turn limit of 20 files',
    ]);
  });

  it('looks at none of the paths beyond the number that is allowed, and counts them', async () => {
    const { files, errors, unlisted } = await resolve(
      Array.from({ length: 5_000 }, (_, n) => at(`none${n}.txt`)),
    );
    expect([files.length, errors.length, unlisted]).toEqual([0, 41, 4_959]);
    const tooMany = 'Attachment exceeds per-turn limit of 20 files';
    expect(errors[19]).toEqual({
      path: at('none19.txt'),
      reason: `Attachment file not found: ${at('none19.txt')}`,
      index: 19,
    });
    expect(errors[39]).toEqual({ path: at('none39.txt'), reason: tooMany, index: 39 });
    expect(errors[40]).toEqual({
      path: at('none40.txt'),
      reason: `${tooMany}, and so do 4959 more after it`,
      index: 40,
    });
  });

  it('keeps what was checked: a file that changes later changes nothing', async () => {
    await writeFile(at('a.txt'), 'as it was');
    const { files } = await resolve([at('a.txt')]);
    await writeFile(at('a.txt'), 'as it is!');
    const content = await opened.attachments.store.get(files[0]?.sha256 ?? '');
    expect(content?.toString()).toBe('as it was');
  });

  it('stays inside its roots, whatever links lead out', async () => {
    const other = newFolder();
    await writeFile(join(other, 'secret.txt'), 'x');
    await symlink(other, at('way-out'));
    await mkdir(at('inner'));
    await writeFile(at('inner/mine.txt'), 'x');
    await symlink(at('inner'), at('way-in'));
    expect(await reasonFor(join(other, 'secret.txt'))).toBe(outside);
    expect(await reasonFor(at('way-out/secret.txt'))).toBe(outside);
    expect(await reasonFor(`${folder}/../${other.split('/').at(-1) ?? ''}/secret.txt`)).toBe(
      outside,
    );
    const { files } = await resolve([at('way-in/mine.txt')]);
    expect(files.map(({ name }) => name)).toEqual(['mine.txt']);
    const more = await resolve([join(other, 'secret.txt')], { roots: [folder, other] });
    expect(more.errors).toEqual([]);
    // A root that is a link stands for its target; a root that is gone allows nothing.
    await symlink(other, at('linked-root'));
    const linked = await resolve([join(other, 'secret.txt')], {
      roots: [at('gone'), at('linked-root')],
    });
    expect(linked.files).toHaveLength(1);
  });

  it('is not led out by a folder that is swapped while it looks', async () => {
    const other = newFolder();
    await writeFile(join(other, 'f.txt'), 'secret');
    await mkdir(at('real'));
    await writeFile(at('real/f.txt'), 'public');
    const swapping = new AbortController();
    const swap = async (): Promise<void> => {
      while (!swapping.signal.aborted) {
        await symlink(other, at('next'));
        await rename(at('real'), at('kept'));
        await rename(at('next'), at('real'));
        await rm(at('real'));
        await rename(at('kept'), at('real'));
      }
    };
    const swaps = swap();
    const seen = new Set<string>();
    for (let tries = 0; tries < 150; tries += 1) {
      const { files } = await resolve([at('real/f.txt')]);
      for (const { sha256 } of files) {
        seen.add(String(await opened.attachments.store.get(sha256)));
      }
    }
    swapping.abort();
    await swaps;
    expect(seen).not.toContain('secret');
  });

  it('takes uploads by their ids, with the rest of the turn', async () => {
    const file = await sent('up.txt', Buffer.from('uploaded'));
    const { id } = await opened.attachments.stored.addUpload({ ...file, mimeType: 'text/plain' });
    await writeFile(at('a.txt'), 'a');
    const unknown = 'att_00000000-0000-4000-8000-000000000000';
    const { files, errors } = await resolve([at('a.txt'), id, unknown, 'att_x']);
    expect(files.map(({ name }) => name)).toEqual(['a.txt', 'up.txt']);
    expect(files[1]).not.toHaveProperty('path');
    const reason = 'Attachment is not known: send the file to POST /api/harness/attachments again';
    expect(errors).toEqual([
      { path: unknown, reason, index: 2 },
      { path: 'att_x', reason, index: 3 },
    ]);
  });

  it('classifies what was sent by its content', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
      'base64',
    );
    const files = [
      await sent('dot.png', png),
      await sent('dot', png),
      await sent('notes', Buffer.from('text')),
      await sent('program.exe', Buffer.from('MZ\u0090\u0000\u0003', 'latin1')),
      await sent('dot.pdf', png),
      await sent('binary', Buffer.from([1, 0, 2])),
    ];
    const { files: taken, errors } = await resolve([], { sent: files });
    expect(taken.map(({ name, mimeType }) => [name, mimeType])).toEqual([
      ['dot.png', 'image/png'],
      ['dot', 'image/png'],
      ['notes', 'text/plain'],
      ['dot.pdf', 'image/png'],
    ]);
    expect(errors.map(({ path, reason }) => [path, reason.split(/[:.(]/)[0]])).toEqual([
      ['program.exe', "Unsupported attachment extension '"],
      ['binary', "Unsupported attachment extension '"],
    ]);
  });
});

const file = (name: string): AttachmentRef => ({
  name,
  path: `/p/${name}`,
  mimeType: 'text/plain',
  size: 1,
  sha256: 'ab',
});
const error = (n: number) => ({ path: `/p/bad${n}.txt`, reason: `reason ${n}` });
const warning = [
  'Attachment warning: 1 attachment(s) could not be processed. Continuing with available content.',
  'Rejected attachments:',
  '- bad1.txt: reason 1',
].join('\n');
const text = (value: string) => ({ type: 'text', text: value });
const ref = (name: string) => ({ type: 'file', file: file(name) });

describe('composePrompt', () => {
  it('counts what was refused and not listed', () => {
    const refused = { files: [], errors: [error(1)], unlisted: 7 };
    expect(composePrompt('Hi', refused).parts).toEqual([
      text(
        [
          'Attachment warning: 8 attachment(s) could not be processed. Continuing with available content.',
          'Rejected attachments:',
          '- bad1.txt: reason 1',
          '- ... 7 additional attachment error(s) omitted\n\nHi',
        ].join('\n'),
      ),
    ]);
    expect(() => composePrompt('', refused)).toThrow(
      expect.objectContaining({
        details: expect.objectContaining({ rejectedAttachmentCount: 8 }),
      }),
    );
  });

  it.each([
    ['string mode', ' Hi\n', [], [], [text(' Hi\n')]],
    ['string mode with a warning', ' Hi', [], [error(1)], [text(`${warning}\n\n Hi`)]],
    ['text and files', 'Hi', ['a', 'b'], [], [text('Hi'), ref('a'), ref('b')]],
    ['files only', '', ['a'], [], [ref('a')]],
    ['a blank text and files', ' \n\t', ['a'], [], [ref('a')]],
    ['warning, text, files', 'Hi', ['a'], [error(1)], [text(warning), text('Hi'), ref('a')]],
    ['warning and files', '', ['a'], [error(1)], [text(warning), ref('a')]],
  ])('%s', (...row) => {
    const [, message, files, errors, parts] = row;
    expect(composePrompt(message, { files: files.map(file), errors })).toEqual({ parts });
  });

  it.each([
    [3, ['- bad1.txt: reason 1', '- bad2.txt: reason 2', '- bad3.txt: reason 3']],
    [
      5,
      [
        '- bad1.txt: reason 1',
        '- bad2.txt: reason 2',
        '- bad3.txt: reason 3',
        '- ... 2 additional attachment error(s) omitted',
      ],
    ],
  ])('shows at most three of %d reasons', (count, bullets) => {
    const errors = Array.from({ length: count }, (_, i) => error(i + 1));
    const [first] = composePrompt('', { files: [file('a')], errors }).parts;
    expect(first).toEqual(
      text(
        [
          `Attachment warning: ${count} attachment(s) could not be processed. Continuing with available content.`,
          'Rejected attachments:',
          ...bullets,
        ].join('\n'),
      ),
    );
  });

  it.each([
    ['', []],
    [' \n ', [error(1), error(2), error(3), error(4)]],
  ])('refuses %j with errors %j', (message, errors) => {
    const compose = () => composePrompt(message, { files: [], errors });
    expect(compose).toThrow(
      expect.objectContaining({
        type: 'ATTACHMENT_FAILURE',
        status: 400,
        message: 'Turn requires text content or at least one valid attachment',
        details: {
          category: 'ALL_ATTACHMENTS_FAILED_NO_TEXT',
          attachmentErrors: errors,
          rejectedAttachmentCount: errors.length,
        },
      }),
    );
  });
});
