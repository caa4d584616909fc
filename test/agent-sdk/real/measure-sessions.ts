/**
 * Memory, and time to the first message, of as many sessions at once over the real SDK and over ours, in one run:
 * `node --import ./test/jest/typescript-hooks.mjs test/agent-sdk/real/measure-sessions.ts [COUNT]`. Default: 100. Each has a
 * turn whose model has begun to answer and hangs. Memory is the proportional share (PSS) of all processes of a side.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, chmodSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { script } from '../cases/say.js';
import { startScriptedMessages } from '../scripted-messages.js';
import { startProcess } from '../../support/processes/start-process.js';
import { installReal } from './install-real.js';
import { ownUser } from './own-user.js';
import { realEnvironment, realModule } from './run-real.js';

const count = process.argv[2] ?? '100';
const side = fileURLToPath(new URL('measure-side.ts', import.meta.url));
const hooks = new URL('../../jest/typescript-hooks.mjs', import.meta.url).href;
const root = fileURLToPath(new URL('../../../', import.meta.url));

interface Measured {
  /** Milliseconds to the first message, sorted. */
  times: number[];
  mib: number;
}

async function measure(
  module: string,
  {
    env,
    folder,
    user,
    beside,
  }: {
    env: Record<string, string>;
    folder: string;
    user?: number | undefined;
    beside?: ChildProcess;
  },
): Promise<Measured> {
  const args = [module, count, ...(user === undefined ? [] : [String(user)])];
  const child = spawn(process.execPath, ['--import', hooks, side, ...args], {
    env,
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const pids = [child, beside].flatMap((one) => (one?.pid === undefined ? [] : treeOf(one.pid)));
  const mib = pids.reduce((sum, pid) => sum + shareOf(pid), 0) / 1024;
  child.stdin.end();
  await once(child, 'exit');
  const times = JSON.parse(line) as number[];
  return { times: times.sort((a, b) => a - b), mib };
}

/** A process, and all that it started. */
function treeOf(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: parentOf(name) }));
  const below = (of: number): number[] =>
    parents.filter(({ parent }) => parent === of).flatMap((one) => [one.pid, ...below(one.pid)]);
  return [pid, ...below(pid)];
}

function parentOf(pid: string): number {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    // It has ended meanwhile.
    return 0;
  }
}

/** The proportional share of a process, in KiB. */
function shareOf(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
}

function show(name: string, { times, mib }: Measured): void {
  const at = (share: number): string =>
    (times[Math.floor((times.length - 1) * share)] ?? 0).toFixed(0);
  process.stdout.write(
    `${name}: ${mib.toFixed(0)} MiB; first message: median ${at(0.5)} ms, last ${at(1)} ms\n`,
  );
}

const folder = mkdtempSync(path.join(tmpdir(), 'measure-'));
chmodSync(folder, 0o777);
const inFolder = (name: string): string => {
  const made = mkdtempSync(path.join(folder, name));
  chmodSync(made, 0o777);
  return made;
};
const model = await startScriptedMessages(script({ text: 'Once upon a time', hangs: true }), {
  project: folder,
});
try {
  const real = inFolder('real-');
  const home = inFolder('home-');
  for (const name of ['home', 'config', 'tmp']) chmodSync(inFolder(name), 0o777);
  show(
    'real',
    await measure(realModule(installReal()), {
      env: { ...realEnvironment(home, model.url), HOME: home },
      folder: real,
      user: ownUser(),
    }),
  );
  const data = inFolder('data-');
  const server = await startProcess({
    TURNPIKE_DATA_DIR: path.join(data, 'data'),
    TURNPIKE_PROJECTS_DIR: path.join(data, 'projects'),
    TURNPIKE_PROVIDER_BASE_URL: model.url,
    TURNPIKE_EGRESS_ALLOW: model.url,
    TURNPIKE_WORKER_CONCURRENCY: count,
    ANTHROPIC_API_KEY: 'dummy',
  });
  const ours = path.join(data, 'ours.mjs');
  writeFileSync(
    ours,
    `export * from ${JSON.stringify(pathToFileURL(path.join(root, 'dist/agent-sdk.js')).href)};`,
  );
  const { PATH = '' } = process.env;
  const env = { PATH, TURNPIKE_URL: server.url };
  show('ours', await measure(ours, { env, folder: inFolder('ours-'), beside: server.child }));
  await server.kill('SIGKILL');
} finally {
  await model.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}
