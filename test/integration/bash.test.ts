import { testTurn } from '../support/tools/test-turn.js';
import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '../../src/platform/clock.js';
import type { JsonObject } from '../../src/platform/json.js';
import { openTools, type TurnTools, ToolRegistry } from '../../src/tools/registry.js';
import { ProjectQuota } from '../../src/tools/project-quota.js';
import { runTool, type ToolOutcome } from '../../src/tools/calls/run-tool.js';
import { untilProcesses, uniqueMinute } from '../support/processes/find-processes.js';
import { eachShells } from '../support/processes/test-shells.js';
import { collectGarbage } from '../support/collect-garbage.js';
import { memoryInUse } from '../support/memory-in-use.js';
import { shellsOff, type Shells } from '../../src/tools/shells.js';
import { ShellOutputs } from '../../src/tools/sandbox/shell-outputs.js';
import { bashTool } from '../../src/tools/builtin/bash.js';
import { newFolder } from '../support/suite.js';

const env = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  GREETING: 'hello',
  ANTHROPIC_API_KEY: 'sk-ant-secret',
  REDIS_URL: 'redis://secret',
  DATABASE_URL: 'postgres://secret',
  TURNPIKE_PROVIDER: 'secret',
};

let workdir: string;
let tools: TurnTools;

const open = (shells: Shells): void => {
  tools = openTools(new ToolRegistry([bashTool(shells)]).list(), () => ({
    turn: testTurn,
    workdir,
    env,
  }));
};

beforeEach(async () => {
  workdir = newFolder();
});

afterEach(() => tools.close());

interface Limits {
  signal?: AbortSignal;
  timeoutMs?: number;
}

async function run(input: JsonObject, limits: Limits = {}): Promise<ToolOutcome> {
  const tool = tools.get('bash');
  if (tool === undefined) throw new Error('bash is not registered');
  return runTool(tool, input, {
    callId: 'call_1',
    idempotencyKey: 'turn_1:call_1',
    signal: limits.signal ?? new AbortController().signal,
    timeoutMs: limits.timeoutMs ?? 20_000,
    outputLimit: 100_000,
    clock: systemClock,
    progress: () => undefined,
  });
}

const bash = async (command: string, limits?: Limits): Promise<string> =>
  (await run({ command }, limits)).output;

describe.each(eachShells)('bash %s', (_name, shells) => {
  beforeEach(async () => open(await shells()));

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
    expect(await run({ command: 'cd /; sleep 60 & echo bye; exit 4' })).toMatchObject({
      status: 'error',
      output: 'bye\nbash: the shell ended with exit code 4; the next command starts a fresh one',
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

  it.each([
    ['reads the input of the shell', 'exec 0</dev/null; cat'],
    ['closes its input', 'exec 0<&-'],
    ['closes its output', 'exec 1>&- 2>&-'],
    ['sends its output elsewhere', 'exec > elsewhere'],
    ['repeats and traces its lines', 'set -vx'],
    ['leaves something behind that holds the output', 'sleep 60 &'],
    ['has its own printf', 'printf() { echo no; }'],
  ])('goes on after a command that %s', async (_what, command) => {
    await run({ command });
    expect((await bash('echo fine')).split('\n').at(-1)).toBe('fine');
  });

  it('refuses a command with NUL, which bash would drop', async () => {
    expect(await run({ command: 'ech\0o fine' })).toMatchObject({
      status: 'error',
      output: 'bash: command has the character NUL',
    });
  });

  it('says what is no text without an end', async () => {
    expect(await bash("printf 'a\\000\\377b\\n\\n'")).toBe('a\u0000\ufffdb');
  });

  it('keeps the first and the last of 100 MB, and its own memory small', async () => {
    const before = await memoryInUse();
    let peak = 0;
    const sampling = setInterval(() => {
      // What is garbage is not kept, however late it is collected.
      collectGarbage({ type: 'minor' });
      const { arrayBuffers, heapUsed } = process.memoryUsage();
      peak = Math.max(peak, arrayBuffers + heapUsed);
    }, 100);
    const output = await bash(
      "echo first; head -c 100000000 /dev/zero | tr '\\0' x; echo; echo last",
    );
    clearInterval(sampling);
    const lines = output.split('\n').map((line) => (line.startsWith('x') ? 'x' : line));
    expect(lines).toEqual([
      'first',
      'x',
      '[output cut: 99500 of 100000012 bytes shown]',
      'x',
      'last',
    ]);
    expect(peak).toBeGreaterThan(0);
    expect(peak - before.heap - before.buffers).toBeLessThan(60_000_000);
  });

  it('has the output of a process in the background in no later call', async () => {
    expect(await bash('(while sleep 0.02; do echo late; done) & echo first')).toMatch(
      /^(late\n)*first(\nlate)*$/,
    );
    await bash('yes & pid=$!; (setsid yes &) 2>/dev/null');
    expect(await bash('sleep 0.3; echo second')).toBe('second');
    expect(await bash('echo to >/dev/stdout; kill -0 $pid && echo "it runs" >&2')).toBe(
      'to\nit runs',
    );
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

/** Long enough for a shell to start and its command to be seen on a busy machine. */
const LIMIT_MS = 5_000;

/** The command runs in the foreground and in the background. */
const sleeper = (minute: string): string => `sleep ${minute} & sleep ${minute}`;

describe.each(eachShells)('bash %s that must stop', (_name, shells) => {
  beforeEach(async () => open(await shells()));

  it('kills the command and its children when the turn ends, and rejects with the reason', async () => {
    const turn = new AbortController();
    const reason = new Error('cancelled');
    const minute = uniqueMinute();
    const running = run({ command: sleeper(minute) }, { signal: turn.signal });
    await untilProcesses(minute, 2);
    turn.abort(reason);
    await expect(running).rejects.toBe(reason);
    await untilProcesses(minute, 0);
  });

  it("kills them at the command's own limit, and goes on with a fresh shell", async () => {
    const minute = uniqueMinute();
    const running = run({ command: `echo so far; ${sleeper(minute)}`, timeout_ms: LIMIT_MS });
    await untilProcesses(minute, 2);
    expect(await running).toMatchObject({
      status: 'error',
      output: `so far\nbash: the shell timed out after ${LIMIT_MS} ms; the next command starts a fresh one`,
    });
    await untilProcesses(minute, 0);
    expect(await bash('echo fine')).toBe('fine');
  });

  it("kills them at the server's limit, whatever the command asked for", async () => {
    const minute = uniqueMinute();
    const command = sleeper(minute);
    const running = run({ command, timeout_ms: 9_999_999_999 }, { timeoutMs: LIMIT_MS });
    await untilProcesses(minute, 2);
    const outcome = await running;
    expect(outcome.status).toBe('error');
    expect(outcome.output).toContain(`bash timed out after ${LIMIT_MS} ms`);
    await untilProcesses(minute, 0);
    expect(await bash('echo fine')).toBe('fine');
  });

  it('stops the command that fills the folder, and not the one that empties it', async () => {
    const quota = new ProjectQuota({ folder: workdir, maxMb: 1, clock: systemClock });
    const definitions = new ToolRegistry([bashTool(await shells())]).list();
    tools = openTools(definitions, () => ({ turn: testTurn, workdir, env, quota }));
    expect(await bash('head -c 3000000 /dev/zero > big; sleep 60')).toMatch(
      /^bash: the command was stopped. PROJECT_FULL: your project folders have 3 of 1 MiB/,
    );
    expect(await bash('rm big; sleep 2.5; echo fine')).toBe('fine');
  });

  it('kills what a command left behind when the turn closes its tools', async () => {
    const minute = uniqueMinute();
    await bash(`sleep ${minute} > /dev/null 2>&1 &`);
    await untilProcesses(minute, 1);
    await tools.close();
    await untilProcesses(minute, 0);
  });
});

describe('bash without a shell', () => {
  it('says why it is off, and what to do', async () => {
    open(shellsOff('bubblewrap (bwrap) is not installed'));
    const outcome = await run({ command: 'echo' });
    expect(outcome.status).toBe('error');
    expect(outcome.output).toMatch(
      /^bash is off on this server: bubblewrap .* is not installed\. /,
    );
    expect(outcome.output).toContain('TURNPIKE_ALLOW_UNSANDBOXED_BASH=true');
  });

  it.each([
    ['/no/such/program', /could not be started: .*ENOENT/],
    ['/bin/false', /ended with exit code 1/],
    ['/etc/passwd', /could not be started: .*EACCES/],
  ])('takes %s, which is no shell, for an error of the call', async (file, output) => {
    const program = async () => {
      const outputs = await ShellOutputs.make(systemClock);
      return { file, args: [], cwd: '/', env: {}, setUp: [], outputs };
    };
    open({ kind: 'unsandboxed', reason: 'the test', outputBytes: 1_000, program });
    const outcome = await run({ command: 'echo' });
    expect(outcome.status).toBe('error');
    expect(outcome.output).toMatch(output);
  });
});
