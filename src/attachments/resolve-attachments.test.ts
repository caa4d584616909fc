import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveAttachments } from './resolve-attachments.js';

const MiB = 1024 * 1024;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attachments-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const at = (name: string) => join(folder, name);

/** A file of so many zero bytes that takes no room on the disk. */
async function sparse(name: string, size: number): Promise<string> {
  await writeFile(at(name), '');
  await truncate(at(name), size);
  return at(name);
}

const reasonFor = async (path: string): Promise<string | undefined> => {
  const { files, errors } = await resolveAttachments([path]);
  expect(files).toEqual([]);
  expect(errors.map((error) => error.path)).toEqual([path]);
  return errors[0]?.reason;
};

describe('resolveAttachments', () => {
  it('gives name, type, size and hash, in input order', async () => {
    await writeFile(at('b.md'), 'héllo');
    await writeFile(at('a.PNG'), 'not sniffed');
    const { files, errors } = await resolveAttachments([at('b.md'), at('a.PNG')]);
    expect(errors).toEqual([]);
    expect(files).toEqual([
      {
        name: 'b.md',
        path: at('b.md'),
        mimeType: 'text/markdown',
        size: 6,
        sha256: createHash('sha256').update('héllo').digest('hex'),
      },
      expect.objectContaining({ name: 'a.PNG', mimeType: 'image/png', size: 11 }),
    ]);
  });

  it('gives nothing for nothing', async () => {
    expect(await resolveAttachments([])).toEqual({ files: [], errors: [] });
  });

  it('accepts an empty file, and the same file twice', async () => {
    await writeFile(at('e.txt'), '');
    const { files } = await resolveAttachments([at('e.txt'), at('e.txt')]);
    expect(files.map((file) => file.size)).toEqual([0, 0]);
    expect(files[0]?.sha256).toBe(createHash('sha256').digest('hex'));
  });

  it('keeps the order of errors and goes on after each', async () => {
    await writeFile(at('ok.txt'), 'x');
    const paths = ['relative.txt', at('gone.txt'), at('ok.txt'), at('x.exe')];
    const { files, errors } = await resolveAttachments(paths);
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
    const long = `/${'n'.repeat(300)}.txt`;
    expect(await reasonFor(long)).toBe(`Attachment file not accessible: ${long}`);
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
    // Root reads everything: it looks as somebody else for the length of this test.
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
      await sparse('over.png', 5 * MiB + 1),
    ];
    const { files, errors } = await resolveAttachments(paths);
    expect(files.map((file) => file.name)).toEqual(['exact.pdf', 'exact.png']);
    expect(errors.map((error) => error.reason)).toEqual([
      'Attachment exceeds per-file size limit (10485760 bytes)',
      "Attachment exceeds the model's image size limit (5242880 bytes)",
    ]);
  });

  it('spends the budget in input order, up to the last byte', async () => {
    const nine = await sparse('nine.pdf', 9 * MiB);
    const most = await sparse('most.pdf', 9 * MiB - 1);
    const two = await sparse('two.txt', 2);
    const one = await sparse('one.txt', 1);
    const none = await sparse('none.txt', 0);
    const { files, errors } = await resolveAttachments([nine, most, two, one, one, none]);
    expect(files.map((file) => file.name)).toEqual(['nine.pdf', 'most.pdf', 'one.txt', 'none.txt']);
    const reason = 'Attachment exceeds per-turn size budget (18874368 bytes total)';
    expect(errors).toEqual([
      { path: two, reason },
      { path: one, reason },
    ]);
  });

  it('hashes the whole of a large file', async () => {
    const bytes = Buffer.alloc(3 * MiB + 7, 'abc');
    await writeFile(at('large.txt'), bytes);
    const { files } = await resolveAttachments([at('large.txt')]);
    expect(files[0]?.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
  });
});
