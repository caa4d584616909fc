import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { expectSoon } from '../support/expect-soon.js';
import {
  DataFolderBusyError,
  lockDataFolder,
  livingOwner,
} from '../../src/storage/folder/data-folder.js';
import { newFolder } from '../support/suite.js';

describe('a data folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = newFolder();
  });

  const ownerFile = (): string => path.join(folder, 'owner.json');

  it('has one holder, who says where it serves', async () => {
    const held = await lockDataFolder(folder);
    await held.publish('http://127.0.0.1:4400');
    await expect(lockDataFolder(folder)).rejects.toThrow(
      `process ${process.pid} owns it and serves http://127.0.0.1:4400`,
    );
    expect(await livingOwner(folder)).toMatchObject({ url: 'http://127.0.0.1:4400' });
    await held.release();
    expect(await livingOwner(folder)).toBeUndefined();
    await (await lockDataFolder(folder)).release();
  });

  it('goes to one of many who want it at once', async () => {
    const wanted = await Promise.allSettled(
      Array.from({ length: 10 }, () => lockDataFolder(folder)),
    );
    expect(wanted.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    for (const result of wanted) {
      if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(DataFolderBusyError);
    }
    expect(await readdir(folder)).toEqual(['owner.json']);
  });

  it('is taken over from a process that was killed, by one of many', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(child, 'spawn');
    await writeFile(ownerFile(), JSON.stringify({ token: 'dead', pid: child.pid }));
    await expect(lockDataFolder(folder)).rejects.toThrow(DataFolderBusyError);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const wanted = await Promise.allSettled(
      Array.from({ length: 5 }, () => lockDataFolder(folder)),
    );
    expect(wanted.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  });

  it('is taken over from a process that was killed and that nobody waits for', async () => {
    // The shell becomes a program that never asks for the end of its child.
    const parent = spawn('sh', ['-c', 'sleep 1000 & echo $!; exec sleep 1000']);
    const [output] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(output.toString());
    await writeFile(ownerFile(), JSON.stringify({ token: 'dead', pid }));
    process.kill(pid, 'SIGKILL');
    await expectSoon(async () => (await lockDataFolder(folder)).release());
    parent.kill('SIGKILL');
  });

  it('never gets two holders, however many take it over at once', async () => {
    const dead = JSON.stringify({ token: 'dead', pid: 2 ** 30 });
    for (let round = 0; round < 60; round += 1) {
      await writeFile(ownerFile(), dead);
      const wanted = await Promise.allSettled(
        Array.from({ length: 12 }, () => lockDataFolder(folder)),
      );
      const held = wanted.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      expect(held).toHaveLength(1);
      expect(await readdir(folder)).toEqual(['owner.json']);
      await held[0]?.release();
    }
  });

  it('is taken over when the one that was taking it over was killed, too', async () => {
    const dead = { token: 'dead', pid: 2 ** 30 };
    await writeFile(ownerFile(), JSON.stringify(dead));
    await writeFile(`${ownerFile()}.dead.takeover`, JSON.stringify({ ...dead, token: 'taker' }));
    const held = await lockDataFolder(folder);
    await expect(lockDataFolder(folder)).rejects.toThrow(DataFolderBusyError);
    await held.release();
    expect(await readdir(folder)).toEqual([]);
  });

  it('is taken over from a process whose number another one has now', async () => {
    const owner = { token: 'old', pid: process.pid, startTicks: '1' };
    await writeFile(ownerFile(), JSON.stringify(owner));
    await (await lockDataFolder(folder)).release();
  });

  it.each(['{"tok', '', 'null', '{"token":"x","pid":"1"}', '{"token":"x","pid":0}'])(
    'is not spoilt by an owner file that says %j',
    async (text) => {
      await writeFile(ownerFile(), text);
      await (await lockDataFolder(folder)).release();
      expect(await readdir(folder)).toEqual([]);
    },
  );

  it('is released by its holder only', async () => {
    const held = await lockDataFolder(folder);
    await writeFile(ownerFile(), JSON.stringify({ token: 'other', pid: process.pid }));
    await held.release();
    expect(JSON.parse(await readFile(ownerFile(), 'utf8'))).toMatchObject({ token: 'other' });
  });
});
