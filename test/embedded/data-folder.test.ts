import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { serverProgram } from '../support/processes/built-programs.js';
import { given } from '../support/processes/test-services.js';
import { textOf } from '../support/processes/text-of-log.js';
import { startProcess } from '../support/processes/start-process.js';
import { newFolder } from '../support/suite.js';

/** A user who owns nothing; tests that run as a user of their own have that one alone. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** A file system that answers as if the folder above were missing. */
const inProc: [string, () => Promise<string>, RegExp][] = existsSync('/proc/self')
  ? [['in `/proc`', async () => '/proc/turnpike/data', /as its file system makes no folders there/]]
  : [];

describe('the data folder', () => {
  it('is made anew where its disk was too small for it; is free with the end of its process, at once; a living owner keeps it', async () => {
    const folder = await mkdtemp(path.join(given('TEST_DATABASES'), 'small-'));
    const dataDir = path.join(folder, 'data');
    // A limit on files, in KiB, that some files of a database exceed, and most do not.
    const limited = ['bash', '-c', `trap '' XFSZ; ulimit -f 4000; exec "$@"`, 'limited'];
    const { code, said } = await startInVain(dataDir, {
      program: [...limited, ...serverProgram],
      user: {},
    });
    expect(said).toMatch(/\/db cannot be used, as its files may not be as large as 16 MB: raise/);
    expect([code, await readdir(dataDir)]).toEqual([1, ['db.new']]);

    const environment = { TURNPIKE_DATA_DIR: dataDir };
    const first = await startProcess(environment);
    await expect(startProcess(environment)).rejects.toThrow(
      `is in use: process ${first.child.pid} owns it and serves ${first.url}`,
    );
    await first.kill('SIGKILL');
    const second = await startProcess(environment);
    expect((await second.client.get('/ready')).body).toMatchObject({ ready: true });
    await second.kill('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  });

  /** Starts a server, by default as a user who may read the code and nothing else; its exit, with what it said of errors. */
  async function startInVain(
    dataDir: string,
    {
      program: whole = serverProgram,
      user = nobody,
    }: { program?: readonly string[]; user?: object } = {},
  ) {
    const [program = '', ...first] = whole;
    const env = {
      PATH: process.env['PATH'],
      TURNPIKE_PORT: '0',
      TURNPIKE_DATA_DIR: dataDir,
      TURNPIKE_LOG_LEVEL: 'error',
    };
    const child = spawn(program, first, { ...user, env, cwd: '/' });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (said += text));
    }
    return new Promise<{ code: number | null; said: string }>((resolve) => {
      child.once('close', (code) => resolve({ code, said: textOf(said) }));
    });
  }

  it.each<[string, (folder: string) => Promise<string>, RegExp]>([
    [
      'that it may not write',
      async (folder) => {
        await chmod(folder, 0o555);
        return folder;
      },
      /as user \d+ may not write it: give it to user \d+ \(chown -R\)/,
    ],
    [
      'with a database of a different user',
      async (folder) => {
        await mkdir(path.join(folder, 'db'));
        if (nobody.uid !== undefined) await chown(folder, nobody.uid, nobody.gid);
        await chmod(path.join(folder, 'db'), 0o555);
        return folder;
      },
      /\/db cannot be used, as user \d+ may not write it: give it to user \d+ \(chown -R\)/,
    ],
    [
      'that is a file',
      async (folder) => {
        await writeFile(path.join(folder, 'file'), '');
        return path.join(folder, 'file');
      },
      /as it is not a folder: remove the file/,
    ],
    ...inProc,
  ])('%s ends the start with one line', async (_, make, words) => {
    const folder = newFolder();
    await chmod(folder, 0o755);
    const { code, said } = await startInVain(await make(folder));
    expect(code).toBe(1);
    expect(said).toMatch(words);
    expect(said).toMatch(/^The data folder \/\S+ cannot be used, [^\n]*TURNPIKE_DATA_DIR[^\n]*\n$/);
    await chmod(folder, 0o755);
    await rm(folder, { recursive: true, force: true });
  });
});
