import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '../../platform/ids.js';
import { DiskContents } from './disk-contents.js';
import { newFolder } from '../../../test/support/suite.js';

describe('DiskContents', () => {
  let folder: string;
  let contents: DiskContents;
  beforeEach(async () => {
    folder = newFolder();
    contents = new DiskContents(folder);
  });

  const fileOf = (id: string): string => path.join(folder, id.slice(5, 7), id);

  it('writes files that only its own user reads', async () => {
    const id = newId('blob');
    await contents.write(id, Readable.from([Buffer.from('a')]));
    const [file, parent] = [await stat(fileOf(id)), await stat(path.dirname(fileOf(id)))];
    expect([file.mode & 0o777, parent.mode & 0o777]).toEqual([0o600, 0o700]);
    expect(await readdir(path.dirname(fileOf(id)))).toEqual([id]);
  });

  it('never writes over what is there', async () => {
    const id = newId('blob');
    async function* twice(): AsyncGenerator<Uint8Array> {
      const second = contents.write(id, Readable.from([Buffer.from('b')]));
      await expect(second).rejects.toMatchObject({ code: 'EEXIST' });
      yield Buffer.from('a');
    }
    await contents.write(id, twice());
    expect(await contents.read(id, 1)).toEqual(Buffer.from('a'));
  });

  it('has nothing of a write that broke off, and removes what it left', async () => {
    const id = newId('blob');
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('a');
      throw new Error('broken off');
    }
    await expect(contents.write(id, broken())).rejects.toThrow('broken off');
    expect(await contents.has(id, 0)).toBe(false);
    await contents.remove(id);
    expect(await readdir(path.dirname(fileOf(id)))).toEqual([]);
  });
});
