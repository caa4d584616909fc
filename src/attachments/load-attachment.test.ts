import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAttachment, loadAttachmentOrNote } from './load-attachment.js';
import { resolveAttachments } from './resolve-attachments.js';
import type { AttachmentRef } from './stored-part.js';

let folder: string;
let path: string;
let ref: AttachmentRef;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attachments-'));
  path = join(folder, 'notes.txt');
  await writeFile(path, 'as it was');
  const [file] = (await resolveAttachments([path])).files;
  if (!file) throw new Error('the file must resolve');
  ref = file;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const note = {
  type: 'text',
  text: '[Attachment "notes.txt" of this message is no longer available as it was sent: it was moved, deleted or changed.]',
};
const changed = `Attachment file changed after the turn was accepted: `;
const notRegular = 'Attachment path must reference a regular file (symbolic links are rejected)';

const faults: [string, string, () => Promise<void>][] = [
  ['was deleted', 'Attachment file not found: ', () => rm(path)],
  ['has other bytes of the same size', changed, () => writeFile(path, 'as it is ')],
  ['grew', changed, () => appendFile(path, '!')],
  ['shrank', changed, () => writeFile(path, 'as')],
  [
    'became a folder',
    changed,
    async () => {
      await rm(path);
      await mkdir(path);
    },
  ],
  [
    'became a named pipe',
    changed,
    async () => {
      await rm(path);
      execFileSync('sh', ['-c', 'mkfifo "$0"', path]);
    },
  ],
  [
    'became a link, even to the same bytes',
    notRegular,
    async () => {
      await rename(path, join(folder, 'moved.txt'));
      await symlink('moved.txt', path);
    },
  ],
];

describe('a file that is as it was', () => {
  it('is part of the message', async () => {
    const part = { type: 'document', title: 'notes.txt', text: 'as it was' };
    expect(await loadAttachment(ref)).toEqual(part);
    expect(await loadAttachmentOrNote(ref)).toEqual(part);
  });

  it('may have been written again with the same bytes', async () => {
    await rm(path);
    await writeFile(path, 'as it was');
    expect(await loadAttachment(ref)).toMatchObject({ text: 'as it was' });
  });

  it('may be as large as allowed', async () => {
    const large = join(folder, 'large.pdf');
    await writeFile(large, Buffer.alloc(10 * 1024 * 1024, 'x'));
    const [file] = (await resolveAttachments([large])).files;
    if (!file) throw new Error('the file must resolve');
    const part = await loadAttachment(file);
    expect(part.type === 'pdf' && Buffer.from(part.base64, 'base64').length).toBe(10_485_760);
  });
});

describe('a file that is not as it was', () => {
  it.each(faults)('fails the current turn when it %s', async (_name, reason, damage) => {
    await damage();
    await expect(loadAttachment(ref)).rejects.toMatchObject({
      type: 'ATTACHMENT_FAILURE',
      status: 400,
      message: expect.stringContaining(reason),
      details: { path },
    });
  });

  it.each(faults)('is a note in the history when it %s', async (_name, _reason, damage) => {
    await damage();
    expect(await loadAttachmentOrNote(ref)).toEqual(note);
  });
});
