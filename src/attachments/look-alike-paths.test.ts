import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { openTestAttachments } from '../../test/support/files/test-attachments.js';
import { newFolder, useShared } from '../../test/support/suite.js';
import { harnessLimits } from './file-limits.js';
import { resolveAttachments, type AttachmentInput } from './resolve-attachments.js';

const opened = useShared(openTestAttachments);

let folder: string;
beforeEach(() => {
  folder = newFolder();
});

const at = (name: string): string => path.join(folder, name);
const put = async (name: string, text = `WORD of ${name}`): Promise<void> => {
  await mkdir(path.dirname(at(name)), { recursive: true });
  await writeFile(at(name), text);
};
const resolve = (named: string, input: Partial<AttachmentInput> = {}) =>
  resolveAttachments(opened.attachments, {
    named: [named],
    sent: [],
    roots: [folder],
    limits: harnessLimits,
    ...input,
  });
const reasonFor = async (named: string, input: Partial<AttachmentInput> = {}) =>
  (await resolve(named, input)).errors[0]?.reason;

describe('a path that looks like another', () => {
  it.each([
    ['Screenshot at 9.22.20\u202FPM.txt', 'Screenshot at 9.22.20 PM.txt'],
    ['re\u0301sume\u0301.txt', 'r\u00E9sum\u00E9.txt'],
    ['\u00E9t\u00E9.txt', 'e\u0301te\u0301.txt'],
    ['Capture d\u2019\u00E9cran.txt', "Capture d'\u00E9cran.txt"],
    ['a\u00A0folder/of\u202Ffiles/wide\u3000blank.txt', 'a folder/of files/wide blank.txt'],
  ])('is taken under the name that there is: %j', async (real, typed) => {
    await put(real);
    const { files, errors } = await resolve(at(typed));
    expect(errors).toEqual([]);
    expect(files).toMatchObject([{ name: path.basename(real), path: at(real) }]);
    const content = await opened.attachments.store.get(files[0]?.sha256 ?? '');
    expect(String(content)).toBe(`WORD of ${real}`);
  });

  it('is taken in the project, through a link to its folder', async () => {
    await put('inner/a\u00A0b.txt');
    await symlink(at('inner'), at('way-in'));
    const within = { roots: [], projectRoot: folder };
    const { files } = await resolve(at('way-in/a b.txt'), within);
    expect(files).toMatchObject([{ name: 'a\u00A0b.txt', path: at('inner/a\u00A0b.txt') }]);
  });

  it('is not guessed where several look like it, which the reason names', async () => {
    await put('a b.txt', 'plain');
    await put('a\u00A0b.txt', 'hard');
    expect((await resolve(at('a b.txt'))).files).toMatchObject([{ name: 'a b.txt', size: 5 }]);
    expect(await reasonFor(at('a\u202Fb.txt'))).toBe(
      `Attachment file not found: ${at('a\u202Fb.txt')}; there is "a b.txt", "a\u00A0b.txt"`,
    );
    await put('shots/README.md');
    expect(await reasonFor(at('shots/readme.txt'))).toMatch(/; there is "README.md"$/);
  });

  it('leads to nothing that may not be taken, and tells no name of it', async () => {
    const other = newFolder();
    await writeFile(path.join(other, 'a\u00A0secret.txt'), 'x');
    const missing = path.join(other, 'a secret.txt');
    expect(await reasonFor(missing)).toBe(`Attachment file not found: ${missing}`);
    await symlink(other, at('way\u00A0out'));
    for (const name of ['way out/a secret.txt', 'way out/none.txt']) {
      expect(await reasonFor(at(name))).toBe(`Attachment file not found: ${at(name)}`);
    }
    await put('own\u00A0data/a\u00A0key.txt');
    await put('own.data/x.txt');
    const closed = [at('own\u00A0data'), at('own.data')];
    for (const name of ['own data/a key.txt', 'own\u00A0data/a key.txt', 'own.txt']) {
      expect(await reasonFor(at(name), { closed })).toBe(`Attachment file not found: ${at(name)}`);
    }
    await symlink(path.join(other, 'a\u00A0secret.txt'), at('a\u00A0link.txt'));
    expect(await reasonFor(at('a link.txt'))).toBe(
      'Attachment path must reference a regular file (symbolic links are rejected)',
    );
  });

  it('is a reason, whatever the system says of it', async () => {
    await put('a\u00A0b/c.txt');
    const long = at(`a b/${'n'.repeat(300)}.txt`);
    expect(await reasonFor(long)).toMatch(/^Attachment file not accessible: /);
    expect(await reasonFor(at('a b/c.txt/d.txt'))).toBe(
      `Attachment file not found: ${at('a b/c.txt/d.txt')}`,
    );
  });
});
