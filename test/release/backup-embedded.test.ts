import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { turnpikeFunction } from '../support/processes/built-programs.js';
import { documentedBlocks } from '../support/clients/documented-blocks.js';
import { startProcess } from '../support/processes/start-process.js';
import { newFolder } from '../support/suite.js';

const run = promisify(execFile);
const [, , copy, transfer, forget] = documentedBlocks().get('docs/operate/backup.md') ?? [];

const folder = newFolder();

/** Runs a block's commands in a folder, with the built command line. */
const shell = (code: string | undefined, cwd: string) => {
  const { PATH = '', HOME = '' } = process.env;
  const script = `${turnpikeFunction}${code ?? 'exit 9'}`;
  const env = { PATH, HOME, TURNPIKE_PORT: '0' };
  return run('bash', ['-euo', 'pipefail', '-c', script], { cwd, env });
};

it('a folder is copied, exported, imported, and a principal forgotten in it', async () => {
  const [original = '', copied = '', fresh = ''] = await Promise.all(
    ['original', 'copied', 'fresh'].map(async (name) => {
      await mkdir(path.join(folder, name));
      return path.join(folder, name);
    }),
  );
  const start = (home: string) =>
    startProcess({ TURNPIKE_DATA_DIR: path.join(home, '.turnpike'), TURNPIKE_CONSOLE: 'false' });
  const [tar = '', exports = ''] = copy?.code.split('\n') ?? [];

  const first = await start(original);
  const sessionId = await first.client.createSession(folder);
  const turn = await first.client.turn(sessionId, 'Hello');
  const frames = await turn.all();
  const turnId = turn.header('x-turn-id');
  await shell(exports, original);
  await first.kill('SIGTERM');
  await shell(tar, original);

  await shell(`tar -xzf ${original}/turnpike.tar.gz`, copied);
  await shell(`turnpike import ${original}/sessions.jsonl`, fresh);
  for (const home of [copied, fresh]) {
    const server = await start(home);
    const rest = await (await server.client.follow(turnId, frames[1]?.id)).all();
    expect(rest).toEqual(frames.slice(2));
    await server.kill('SIGTERM');
  }

  const { stdout } = await shell(transfer?.code, original);
  expect(stdout).toContain('0 sessions imported, 1 session skipped (already there)');
  await expect(shell(forget?.code, original)).rejects.toMatchObject({
    code: 2,
    stdout: expect.stringContaining('Stored of alice'),
    stderr: expect.stringContaining('call it with --yes'),
  });
  const deleted = await shell('turnpike forget local --yes --json', original);
  expect(JSON.parse(deleted.stdout)).toMatchObject({ sessions: 1, turns: 1 });
  const empty = await shell('turnpike export', original);
  expect(empty.stdout).toContain('{"type":"end","sessions":0}');
});
