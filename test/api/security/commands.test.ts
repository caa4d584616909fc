import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { useServer } from '../../support/processes/start-server.js';

const run = promisify(execFile);

describe('a rule for commands', () => {
  const server = useServer();
  beforeAll(async () => {
    await run('git', ['init', '-q'], { cwd: server.projectRoot });
    await writeFile(at('kept.txt'), 'kept');
  });

  const at = (name: string): string => path.join(server.projectRoot, name);

  /** Runs one command as a model that asks for it, where nobody can be asked. */
  async function bash(command: string, permissions: object) {
    const { client, projectRoot } = server;
    await rm(at('made'), { force: true });
    const sessionId = await client.createSession(projectRoot, { permissions, mode: 'dontAsk' });
    const message = `[[tool=bash ${JSON.stringify({ command })}]]`;
    const stream = await client.turn(sessionId, message, { opts: { tools: ['bash'] } });
    const frames = await stream.all();
    expect(frames.at(-1)?.data).toEqual({ exitCode: 0 });
    const result = frames.find(({ event }) => event === 'tool:result')?.data;
    return { result, hasMade: existsSync(at('made')) };
  }

  const allowsStatus = { allow: ['bash(git status*)'] };

  it.each(['git status', 'git status --short', ' git  status ', 'git status && git status -s'])(
    'allows what it names: %j',
    async (command) => {
      expect((await bash(command, allowsStatus)).result).toMatchObject({ status: 'success' });
    },
  );

  it.each([
    'git status; touch made',
    'git status && touch made',
    'git status || touch made',
    'git status | tee made',
    'git status & touch made',
    'git status\ntouch made',
    'git status\r\ntouch made',
    'git status $(touch made)',
    'git status `touch made`',
    'git status "$(touch made)"',
    'git status <(touch made)',
    'git status > made',
    'git status >> made',
    'git status 2>made',
    'git status &> made',
    'git status # \ntouch made',
    'git status <<E\nE\ntouch made',
    'git status \\\n; touch made',
    "git status $'\\n' touch made; touch made",
    'GIT_PAGER="touch made" git -p status',
    'git -c core.pager="touch made" -p status',
    "git -c alias.status='!touch made' status",
    'env git status; touch made',
    '/tmp/git status',
    'git\u00a0status; touch made',
    'eval "git status; touch made"',
    'touch made; git status',
    '(git status; touch made)',
    '{ git status; touch made; }',
    'function git { touch made; }; git status',
    'alias git="touch made"; git status',
  ])('allows nothing beside it: %j', async (command) => {
    const { result, hasMade } = await bash(command, allowsStatus);
    expect(result).toMatchObject({
      ok: false,
      status: 'denied',
      output: expect.stringContaining('permission denied'),
    });
    expect(hasMade).toBe(false);
  });

  const denies = { allow: ['bash'], deny: ['bash(touch *)'] };

  it.each([
    'touch made',
    '/usr/bin/touch made',
    'git status; touch made',
    'echo $(touch made)',
    "bash -c 'touch made'",
    'env A=b touch made',
    'A=b touch made',
    'echo made | xargs touch made',
    'if true; then touch made; fi',
    'find . -maxdepth 0 -exec touch made ;',
    "'touch' made",
    't\\ouch made',
    'timeout 5 touch made',
    'echo made | xargs touch',
    'tou\0ch made',
    "$'\\x74ouch' made",
    'function f { touch made; }; f',
    'coproc touch made; wait',
    "env --split-string='touch made'",
    'flock . touch made',
    'taskset -c 0 touch made',
    'chrt -b 0 touch made',
    'setarch -R touch made',
    'prlimit --nofile=100 touch made',
    'unshare touch made',
    "script -qc 'touch made' /dev/null",
    "trap 'touch made' EXIT; (exit)",
    '{touch,made}',
    // The command is hidden: a person would be asked, and here nobody can be.
    't=touch; $t made',
    'tou$(:)ch made',
    '/usr/bin/touc? made',
    'echo dG91Y2ggbWFkZQ== | base64 -d | bash',
    "bash <<< 'touch made'",
    `awk 'BEGIN{system("touch made")}'`,
    "git -c alias.x='!touch made' x",
  ])('that forbids looks into it: %j', async (command) => {
    const { result, hasMade } = await bash(command, denies);
    expect(result).toMatchObject({ status: 'denied' });
    expect(hasMade).toBe(false);
  });

  // The check is a guard rail, no wall: this lists what passes it, so that nobody relies on it.
  it.each([
    ': > made',
    `awk 'BEGIN{system("tou" "ch made")}'`,
    'printf "touch made" > s.sh; bash s.sh',
  ])('that forbids does not see: %j', async (command) => {
    const { result, hasMade } = await bash(command, denies);
    expect(result).toMatchObject({ status: 'success' });
    expect(hasMade).toBe(true);
  });

  it.each([
    "git -c alias.x='!touch made' x",
    'git config alias.y "!touch made" && git y',
    'git --no-pager -c core.fsmonitor="touch made; false" status',
  ])('for a program allows what that program runs: %j', async (command) => {
    const { hasMade } = await bash(command, { allow: ['bash(git *)'] });
    expect(hasMade).toBe(true);
  });

  it('leaves the sandbox for the wall: nothing outside is written by what is not seen', async () => {
    if (process.env['TEST_SANDBOX'] === 'none') return;
    const parent = path.dirname(server.projectRoot);
    const before = await readdir(parent);
    // The sandbox has a `/tmp` of its own: nothing written there reaches the tests' projects.
    for (const command of [
      'printf "touch ../made" > s.sh; bash s.sh',
      ': > ../made',
      'ln -s .. up; : > up/made',
    ]) {
      await bash(command, denies);
    }
    for (const command of [': > /usr/made', ': > ~/made', ': > /etc/made']) {
      expect([command, (await bash(command, denies)).result]).toMatchObject([
        command,
        { status: 'error', output: expect.stringContaining('Read-only file system') },
      ]);
    }
    expect(await readdir(parent)).toEqual(before);
  });
});
