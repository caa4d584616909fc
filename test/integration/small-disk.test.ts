import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { openSmallDisk } from '../../scripts/services/small-disk.mjs';
import { newFolder } from '../support/suite.js';

const BYTES = 1024 ** 2;

describe('a small disk', () => {
  it('is full while it is filled, and for nobody else, or the reason is told why there is none', async () => {
    const folder = newFolder();
    const opened = await openSmallDisk({ folder, bytes: BYTES }).catch((error: unknown) => error);
    if (opened instanceof Error) {
      expect(opened.message).not.toBe('');
      return;
    }
    const disk = opened as Awaited<ReturnType<typeof openSmallDisk>>;
    const write = (name: string) => {
      const command = ['sh', '-c', `echo text > ${path.join(folder, name)}`];
      const [program = '', ...args] = disk.inside(command);
      execFileSync(program, args, { stdio: 'pipe', env: { ...process.env, LC_ALL: 'C' } });
    };
    try {
      write('before.txt');
      await disk.fill();
      expect(() => write('full.txt')).toThrow(/No space left on device|I\/O error/);
      await disk.free();
      write('after.txt');
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      await disk.close();
    }
  });

  it('says why it cannot be there', async () => {
    const asked = openSmallDisk({ folder: '/no/such/folder', bytes: BYTES });
    await expect(asked).rejects.toThrow(/\S/);
  });
});
