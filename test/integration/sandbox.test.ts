import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  countProcesses,
  uniqueMinute,
  untilProcesses,
} from '../support/processes/find-processes.js';
import { sandboxedShells, type TestShells } from '../support/processes/test-shells.js';
import { systemClock } from '../../src/platform/clock.js';
import { type CommandEnd, ShellSession } from '../../src/tools/sandbox/shell-session.js';
import type { Shells } from '../../src/tools/shells.js';
import { newFolder } from '../support/suite.js';

let folder: string;
let root: string;
let session: ShellSession | undefined;
beforeEach(async () => {
  folder = newFolder();
  root = path.join(folder, 'project');
  await mkdir(root);
});
afterEach(async () => {
  await session?.close();
  session = undefined;
});

const quiet = new AbortController().signal;

type ShellOptions = TestShells & { others?: readonly string[]; folder?: string };

async function open(options: ShellOptions = {}, home = homedir()): Promise<ShellSession> {
  const shells = await sandboxedShells(options);
  if (shells.kind === 'off') throw new Error(shells.reason);
  const env = { PATH: process.env['PATH'] ?? '', HOME: home };
  const { others } = options;
  const program = await shells.program(options.folder ?? root, { env, others });
  const { outputBytes } = shells;
  session = await ShellSession.open(program, { clock: systemClock, outputBytes }, quiet);
  return session;
}

async function run(command: string, options?: ShellOptions): Promise<CommandEnd> {
  const shell = session ?? (await open(options));
  return shell.exec(command, { timeoutMs: 30_000, signal: quiet });
}

function weaknessesOf(shells: Shells): readonly string[] {
  return shells.kind === 'sandboxed' ? shells.weaknesses : [];
}

const listen = async () => {
  const server = createServer((socket) => socket.end('reached'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
};

describe('a sandbox: files', () => {
  it('has a project that can be written, by the same user as outside', async () => {
    expect(await run('echo text > new.txt && cat new.txt')).toEqual({
      output: 'text',
      exitCode: 0,
    });
    expect((await stat(path.join(root, 'new.txt'))).uid).toBe(process.getuid?.());
  });

  it('has nothing else that can be written', async () => {
    const folders = ['/etc', '/usr/bin', homedir(), '/var/tmp', '/run', '/dev', '/sys', '/'];
    const { output } = await run(
      `for one in ${folders.join(' ')}; do echo x > $one/turnpike-was-here && echo "wrote $one"; done 2>/dev/null; true`,
    );
    expect(output).toBe('');
  });

  it('has no way out through a link', async () => {
    await mkdir(path.join(folder, 'outside'));
    await symlink(path.join(folder, 'outside'), path.join(root, 'link'));
    await symlink('/etc/turnpike-was-here', path.join(root, 'file'));
    expect((await run('echo x > link/file')).exitCode).not.toBe(0);
    expect((await run('echo x > file')).exitCode).not.toBe(0);
    await expect(stat('/etc/turnpike-was-here')).rejects.toThrow('ENOENT');
  });

  it('has a /tmp of its own', async () => {
    await writeFile(path.join(folder, 'neighbour'), 'secret');
    expect(await run(`cat ${folder}/neighbour`)).toMatchObject({ exitCode: 1 });
    expect(await run('echo x > /tmp/mine && cat "$TMPDIR/mine"')).toMatchObject({ output: 'x' });
    await expect(stat('/tmp/mine')).rejects.toThrow('ENOENT');
  });

  it('hides the data folder, also inside the project, and keeps its way there', async () => {
    const data = path.join(root, 'deep/down/.turnpike');
    await mkdir(data, { recursive: true });
    await writeFile(path.join(data, 'db'), 'secret');
    await open({ dataFolders: [data] });
    expect((await run(`ls -A ${data}`)).output).toBe('');
    expect((await run(`echo x > ${data}/db`)).exitCode).not.toBe(0);
    for (const moved of ['deep', 'deep/down', 'deep/down/.turnpike']) {
      expect((await run(`mv ${moved} elsewhere`)).exitCode).not.toBe(0);
    }
    expect((await run('rm -rf deep 2>&1; grep -rs secret .')).output).toContain('busy');
    expect(await readFile(path.join(data, 'db'), 'utf8')).toBe('secret');
  });

  it('hides what the operator says, and shows a project inside of it', async () => {
    await writeFile(path.join(folder, 'other'), 'secret');
    await writeFile(path.join(root, 'own'), 'mine');
    expect((await run(`ls ${folder}; cat own`, { hide: [folder] })).output).toBe('project\nmine');
  });

  it('hides the folders of others for one shell, and starts none in a root that is a link', async () => {
    await mkdir(path.join(folder, 'other'));
    const options = { others: [folder] };
    expect((await run(`ls ${folder}`, options)).output).toBe('project');
    await session?.close();
    await symlink('other', path.join(folder, 'turned'));
    const turned = path.join(folder, 'turned');
    await expect(open({ ...options, folder: turned })).rejects.toThrow(/leads to another folder/);
    await (await open({ folder: turned })).close();
  });

  it('keeps what is protected inside the project as it is', async () => {
    await mkdir(path.join(root, 'agents'));
    await writeFile(path.join(root, 'agents/one.md'), 'You are one.');
    const { output } = await run('cat agents/*; echo x > agents/one.md', {
      protect: [path.join(root, 'agents')],
    });
    expect(output).toMatch(/^You are one\.[^]*Read-only file system/);
    expect((await run('mv agents away')).exitCode).not.toBe(0);
  });

  it.each(['/', '/proc', '/sys/kernel', '/dev'])('has no shell in %s', async (unfit) => {
    root = unfit;
    await expect(open()).rejects.toThrow(`do not run with ${unfit} as the project root`);
  });

  it('has no shell in the data folder', async () => {
    await expect(open({ dataFolders: [root] })).rejects.toThrow("the server's own data folder");
  });
});

describe('a sandbox: what else can be reached', () => {
  it('does not see the server, its environment or its settings', async () => {
    process.env['ANTHROPIC_API_KEY'] = 'sk-ant-planted';
    try {
      const look =
        'cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr "\\0" "\\n"; env; echo $PPID';
      const { output } = await run(look);
      expect(output).not.toContain('planted');
      expect(output).not.toMatch(/jest|ANTHROPIC|REDIS|DATABASE|TURNPIKE_/);
      expect(output.endsWith('\n1')).toBe(true);
    } finally {
      delete process.env['ANTHROPIC_API_KEY'];
    }
  });

  it("runs no start-up files of the server's user, before or in the sandbox", async () => {
    await writeFile(path.join(folder, '.bashrc'), `touch ${folder}/outside ${root}/inside`);
    await open({}, folder);
    await expect(stat(path.join(folder, 'outside'))).rejects.toThrow('ENOENT');
    await expect(stat(path.join(root, 'inside'))).rejects.toThrow('ENOENT');
  });

  it("cannot set the kernel's settings, mount, or become more than it is", async () => {
    const tries = [
      'pattern=$(cat /proc/sys/kernel/core_pattern) && echo "$pattern" > /proc/sys/kernel/core_pattern',
      'echo 1 > /proc/sys/vm/drop_caches',
      'mount -t tmpfs none /mnt',
      'umount /tmp',
      'unshare --user --map-root-user true',
    ];
    for (const one of tries) expect([one, (await run(one)).exitCode]).not.toEqual([one, 0]);
    const { output } = await run('grep -E "CapEff|NoNewPrivs" /proc/self/status; id -u');
    expect(output).toMatch(/CapEff:\s+0+\nNoNewPrivs:\s+1\n[1-9]/);
  });

  it('reaches no server of this machine, unless it has the network', async () => {
    const server = await listen();
    try {
      const connect = `cat < /dev/tcp/127.0.0.1/${server.port}`;
      expect(await run(connect)).toMatchObject({ exitCode: 1 });
      await session?.close();
      session = undefined;
      expect(await run(connect, { network: true })).toEqual({ output: 'reached', exitCode: 0 });
    } finally {
      server.close();
    }
  });
});

describe('a sandbox: limits', () => {
  it('has a limit of memory', async () => {
    const take = (mib: number): string =>
      `node -e 'const all = Array.from({ length: ${mib} }, () => Buffer.alloc(2 ** 20, 1)); console.log(all.length)'`;
    await open({ memoryMb: 400 });
    expect(await run(take(50))).toEqual({ output: '50', exitCode: 0 });
    expect((await run(take(1_000))).exitCode).not.toBe(0);
    expect((await run('head -c 500M /dev/zero > /tmp/full')).output).toContain('No space left');
    expect((await run('head -c 500M /dev/zero > /dev/shm/x')).output).toContain('No space left');
    // Both limits are reached, and the server has enough left to go on.
    expect(await run(take(20))).toEqual({ output: '20', exitCode: 0 });
    expect((await run('ulimit -d unlimited')).exitCode).not.toBe(0);
  });

  it('has a limit of memory for all of it, shared memory too, or says that it has none', async () => {
    const total = await sandboxedShells({ memoryMb: 300 });
    const isLimited = !weaknessesOf(total).some((one) => one.startsWith('memory is limited'));
    await open({ memoryMb: 300 });
    const take = (mib: number): string =>
      `perl -e '$id = shmget(0, ${mib} << 20, 0600); shmwrite($id, "x" x (1 << 20), $_ << 20, 1 << 20) for 0..${mib - 1}; print "took ${mib}"'`;
    expect(await run(take(100))).toEqual({ output: 'took 100', exitCode: 0 });
    // Memory stays taken: no process has it, and none is over a limit of its own.
    const more = run(`${take(250)}; true`).then(
      ({ output }) => output,
      (error: unknown) => String(error),
    );
    expect((await more).endsWith('took 250')).toBe(!isLimited);
  });

  it('has a limit of processes', async () => {
    await open({ processes: 32 });
    const minute = uniqueMinute();
    await run(`(for i in {1..300}; do sleep ${minute} & done) 2> refused &`);
    const refusals = () => readFile(path.join(root, 'refused'), 'utf8').catch(() => '');
    while (!(await refusals()).includes('fork: ')) await delay(10);
    expect(await countProcesses(minute)).toBeLessThanOrEqual(32);
    await session?.close();
    await untilProcesses(minute, 0);
  });
});

describe('a sandbox: system calls', () => {
  it.each([
    ['chmod', 'chmod u+s program'],
    ['chmod, of a group', 'chmod g+s program'],
    ['install', 'install -m 4755 program other'],
    ['cp', 'cp -p --preserve=mode set-id other'],
    [
      'a file that is made so',
      `perl -e 'use Fcntl; sysopen(F, "other", O_CREAT|O_RDWR, 04755) or die $!'`,
    ],
    ['an archive', 'tar -xpf archive.tar'],
  ])('make no set-user-id file: %s', async (_how, command) => {
    await cp('/bin/true', path.join(root, 'program'));
    await cp('/bin/true', path.join(root, 'set-id'));
    await chmod(path.join(root, 'set-id'), 0o4755);
    await promisify(execFile)(
      'tar',
      ['-cf', 'archive.tar', '--transform=s/set-id/other/', 'set-id'],
      {
        cwd: root,
      },
    );
    const { output } = await run(`${command} 2>&1; stat -c '%n %a' program other 2>/dev/null`);
    expect(output).not.toMatch(/^(?:program|other) [2467]\d\d\d$/m);
    const made = await Promise.all(
      ['program', 'other'].map((name) => stat(path.join(root, name)).catch(() => undefined)),
    );
    expect(made.map((one) => (one?.mode ?? 0) & 0o6000)).toEqual([0, 0]);
  });

  it('make files of every other mode, and folders', async () => {
    const command = `umask 0; for mode in 0 644 777 1777; do touch f$mode; chmod $mode f$mode; done; mkdir -m 700 d; stat -c '%a' f* d`;
    expect(await run(command)).toEqual({ output: '0\n1777\n644\n777\n700', exitCode: 0 });
  });

  // Refused system calls that need no capability: without a filter they work, or fail otherwise.
  it.each([
    ['unshare', { x64: 272, arm64: 97 }, '0', 'Operation not permitted'],
    ['keyctl', { x64: 250, arm64: 219 }, '0, -3, 0', 'Operation not permitted'],
    ['userfaultfd', { x64: 323, arm64: 282 }, '1', 'Operation not permitted'],
    ['io_uring_setup', { x64: 425, arm64: 425 }, '1, 0', 'Function not implemented'],
    ['openat2', { x64: 437, arm64: 437 }, '0, 0, 0, 0', 'Function not implemented'],
  ])('has no %s', async (_name, numbers, given, answer) => {
    const call = numbers[process.arch as keyof typeof numbers];
    const { output } = await run(`perl -e 'print syscall(${call}, ${given}), " $!"'`);
    expect(output).toBe(`-1 ${answer}`);
  });

  it('open no socket to the host of this machine', async () => {
    const open = (family: number) => `perl -e 'print socket(S, ${family}, 1, 0) ? "open" : $!'`;
    expect((await run(open(40))).output).toBe('Address family not supported by protocol');
    expect((await run(open(1))).output).toBe('open');
  });

  it('leaves commands no descriptor of the filter', async () => {
    expect((await run('readlink /proc/$$/fd/3; readlink /proc/1/fd/3')).output).toBe('');
  });
});

describe('a sandbox: its end', () => {
  const escapes: [string, number, (minute: string) => string][] = [
    ['setsid', 1, (minute) => `setsid sleep ${minute} &`],
    ['nohup', 1, (minute) => `nohup sleep ${minute} > /dev/null 2>&1 & disown`],
    ['a double fork', 1, (minute) => `( ( setsid sleep ${minute} ) & ) `],
    ['a trap', 2, (minute) => `setsid bash -c 'trap "" TERM INT HUP; sleep ${minute}; true' &`],
  ];

  it.each(escapes)('ends what escapes with %s', async (_how, processes, command) => {
    const minute = uniqueMinute();
    const stop = new AbortController();
    const shell = await open();
    const running = shell.exec(`${command(minute)}\nsleep 60`, {
      timeoutMs: 60_000,
      signal: stop.signal,
    });
    await untilProcesses(minute, processes);
    stop.abort(new Error('cancelled'));
    await expect(running).rejects.toThrow('cancelled');
    await untilProcesses(minute, 0);
  });

  it('ends it when a command took too long, and when the shell is closed', async () => {
    const minute = uniqueMinute();
    const shell = await open();
    const running = shell.exec(`setsid sleep ${minute} & sleep 60`, {
      timeoutMs: 500,
      signal: quiet,
    });
    await expect(running).rejects.toThrow('timed out after 500 ms');
    await untilProcesses(minute, 0);
    const next = await open();
    await next.exec(`setsid sleep ${minute} > /dev/null 2>&1 &`, {
      timeoutMs: 60_000,
      signal: quiet,
    });
    await untilProcesses(minute, 1);
    await next.close();
    await untilProcesses(minute, 0);
  });

  it('is told by a shell that exits, with what it had said', async () => {
    const minute = uniqueMinute();
    const end = run(`setsid sleep ${minute} & echo bye; exit 7`);
    await expect(end).rejects.toMatchObject({ message: 'ended with exit code 7', output: 'bye' });
    await untilProcesses(minute, 0);
  });
});
