import { execFile } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '../../platform/clock.js';
import type { JsonObject } from '../../platform/json.js';
import { openTools, type TurnTools } from '../open-tools.js';
import { ToolRegistry } from '../registry.js';
import { runTool, type ToolOutcome } from '../run-tool.js';
import { bashTool } from './bash.js';

const env = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  GREETING: 'hello',
  ANTHROPIC_API_KEY: 'sk-ant-secret',
  DATABASE_URL: 'postgres://secret',
  TURNPIKE_PROVIDER: 'secret',
};

let workdir: string;
let tools: TurnTools;

beforeEach(async () => {
  workdir = await realpath(await mkdtemp(join(tmpdir(), 'bash-')));
  tools = openTools(new ToolRegistry([bashTool]).list(), { workdir, env });
});

afterEach(async () => {
  await tools.close();
  await rm(workdir, { recursive: true, force: true });
});

interface Limits {
  signal?: AbortSignal;
  timeoutMs?: number;
}

async function run(input: JsonObject, limits: Limits = {}): Promise<ToolOutcome> {
  const tool = tools.get('bash');
  if (tool === undefined) throw new Error('bash is not registered');
  return runTool(tool, input, {
    callId: 'call_1',
    signal: limits.signal ?? new AbortController().signal,
    timeoutMs: limits.timeoutMs ?? 20_000,
    outputLimit: 10_000,
    clock: systemClock,
    progress: () => undefined,
  });
}

const bash = async (command: string, limits?: Limits): Promise<string> =>
  (await run({ command }, limits)).output;

/** Waits for a fact about another process; the test's own timeout is the limit. */
async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await delay(10);
  }
}

/** The pid that a command wrote to `pid`. */
const startedPid = (): Promise<number> =>
  until(async () => {
    const text = await readFile(join(workdir, 'pid'), 'utf8').catch(() => '');
    return text.endsWith('\n') ? Number(text) : undefined;
  });

/** A killed process that its new parent has not reaped yet is gone too. */
async function hasEnded(pid: number): Promise<true | undefined> {
  const ps = promisify(execFile)('ps', ['-o', 'stat=', '-p', String(pid)]);
  const state = await ps.then(
    ({ stdout }) => stdout.trim(),
    () => '',
  );
  return state === '' || state.startsWith('Z') ? true : undefined;
}

const sleeper = 'sleep 60 & echo $! > pid; wait';

describe('bash', () => {
  it('runs in the workdir and returns stdout and stderr', async () => {
    expect(await run({ command: 'pwd; echo oops >&2' })).toMatchObject({
      status: 'success',
      output: `${workdir}\noops`,
    });
  });

  it.each([
    ['echo partly; (exit 3)', 'partly\n[exit code 3]'],
    ['false', '[exit code 1]'],
    ['no-such-command 2>/dev/null', '[exit code 127]'],
  ])('%s: an error with the exit code', async (command, output) => {
    expect(await run({ command })).toMatchObject({ status: 'error', output });
  });

  it('keeps directory and variables from call to call, until a restart', async () => {
    await bash('mkdir sub && cd sub && X=1 && export Y="it\'s"');
    expect(await bash('pwd; echo "$X $Y"')).toBe(`${workdir}/sub\n1 it's`);
    expect(await run({ restart: true, command: 'pwd; echo "[$X]"' })).toMatchObject({
      output: `${workdir}\n[]`,
    });
  });

  it('has an empty stdin and takes a here-document', async () => {
    expect(await bash("cat; cat <<'EOF'\n$HOME 'x'\nEOF")).toBe("$HOME 'x'");
  });

  it.each(['if then', 'echo "open', 'echo $(', 'echo )'])(
    'outlives the syntax error in %s',
    async (command) => {
      const failed = await run({ command });
      expect(failed.status).toBe('error');
      expect(failed.output).toMatch(/syntax error|unexpected EOF/);
      expect(await bash('echo fine')).toBe('fine');
    },
  );

  it('starts a fresh shell after one that ended', async () => {
    expect(await run({ command: 'cd /; exit 4' })).toMatchObject({
      status: 'error',
      output: 'bash: the shell ended; the next command starts a fresh one',
    });
    expect(await bash('pwd')).toBe(workdir);
  });

  it("has the caller's environment and none of the server's", async () => {
    const names = (await bash('env')).split('\n').map((line) => line.split('=')[0] ?? '');
    expect(await bash('echo $GREETING')).toBe('hello');
    expect(names.filter((name) => name in env).sort()).toEqual(['GREETING', 'PATH']);
    expect(names).not.toContain('HOME');
    expect(names).not.toContain('NODE_OPTIONS');
    expect(await bash('env')).not.toContain('secret');
  });

  it('runs one command at a time', async () => {
    const outputs = await Promise.all([bash('sleep 0.1; echo one'), bash('echo two')]);
    expect(outputs).toEqual(['one', 'two']);
  });

  it.each([
    [{}, 'bash: command is required'],
    [{ command: '' }, 'bash: input is not valid: command must NOT have fewer than 1 characters'],
    [{ command: 'ls', timeout_ms: 0 }, 'bash: input is not valid: timeout_ms must be >= 1'],
  ])('refuses %j', async (input, output) => {
    expect(await run(input)).toMatchObject({ status: 'error', output });
  });

  it('says so when the workdir is gone', async () => {
    await rm(workdir, { recursive: true });
    expect(await bash('pwd')).toBe(
      'bash: the working directory does not exist or may not be entered',
    );
  });
});

describe('bash that must stop', () => {
  it('kills the command and its children when the turn ends, and rejects with the reason', async () => {
    const turn = new AbortController();
    const reason = new Error('cancelled');
    const running = run({ command: sleeper }, { signal: turn.signal });
    const pid = await startedPid();
    turn.abort(reason);
    await expect(running).rejects.toBe(reason);
    await until(() => hasEnded(pid));
  });

  it("kills them at the command's own limit, and goes on with a fresh shell", async () => {
    const running = run({ command: sleeper, timeout_ms: 300 });
    const pid = await startedPid();
    expect(await running).toMatchObject({
      status: 'error',
      output: 'bash: the shell timed out after 300 ms; the next command starts a fresh one',
    });
    await until(() => hasEnded(pid));
    expect(await bash('echo fine')).toBe('fine');
  });

  it("kills them at the server's limit, whatever the command asked for", async () => {
    const running = run({ command: sleeper, timeout_ms: 9_999_999_999 }, { timeoutMs: 300 });
    const pid = await startedPid();
    const outcome = await running;
    expect(outcome.status).toBe('error');
    expect(outcome.output).toContain('bash timed out after 300 ms');
    await until(() => hasEnded(pid));
    expect(await bash('echo fine')).toBe('fine');
  });

  it('kills what a command left behind when the turn closes its tools', async () => {
    await bash('sleep 60 > /dev/null 2>&1 & echo $! > pid');
    const pid = await startedPid();
    expect(await hasEnded(pid)).toBeUndefined();
    await tools.close();
    await until(() => hasEnded(pid));
  });
});
