/** A file system of a fixed size, which tests can fill: the disk of a service that is really full. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { cleanUpAtExit } from './clean-up-at-exit.mjs';
import { stopChild } from './stop-child.mjs';

const run = promisify(execFile);

/** Mounts, says so, and holds the namespace until its input ends: with the process that started it. */
const HOLD = 'mount -t tmpfs -o "$1" tmpfs "$2" && echo mounted && exec cat';

/**
 * @typedef {object} SmallDisk
 * @property {(command: string[]) => string[]} inside the command as it runs where the disk is mounted, as its user
 * @property {() => Promise<void>} fill leaves no byte
 * @property {() => Promise<void>} free
 * @property {() => Promise<void>} close once its processes have ended
 */

/**
 * Mounts a file system in memory over a folder, in a mount namespace of its own: nobody else sees it, and it is gone with
 * its last process, whatever ends this one.
 *
 * @param {{folder: string, bytes: number, user?: {uid: number, gid: number} | undefined}} options `user`: whose it is,
 *   where this process is root's
 * @returns {Promise<SmallDisk>}
 * @throws {Error} that says why this process may mount none.
 */
export async function openSmallDisk({ folder, bytes, user }) {
  const isRoot = process.getuid?.() === 0;
  const owner = user === undefined ? '' : `,uid=${user.uid},gid=${user.gid}`;
  const rights = isRoot ? [] : ['--user', '--map-current-user', '--keep-caps'];
  const holder = spawn(
    'unshare',
    [...rights, '--mount', '--propagation', 'private', 'sh', '-c', HOLD, 'sh'].concat(
      `size=${bytes},mode=700${owner}`,
      folder,
    ),
    // Detached: a Ctrl-C reaches only the parent, which stops everything in order.
    { stdio: ['pipe', 'pipe', 'pipe'], detached: true },
  );
  await untilMounted(holder);
  const forget = cleanUpAtExit(() => holder.kill('SIGKILL'));
  holder.once('exit', forget);
  const where = ['--mount', '--target', String(holder.pid)];
  const entry = isRoot ? where : ['--user', '--preserve-credentials', ...where];
  const as = user === undefined ? [] : ['--setuid', String(user.uid), '--setgid', String(user.gid)];
  const inside = (/** @type {string[]} */ command) => ['nsenter', ...entry, ...as, ...command];
  const ballast = path.join(folder, 'ballast');
  const disk = {
    inside,
    fill: async () => {
      const [program = '', ...args] = inside(['dd', 'if=/dev/zero', `of=${ballast}`, 'bs=64k']);
      try {
        await run(program, args, { env: { ...process.env, LC_ALL: 'C' } });
      } catch (error) {
        if (error instanceof Error && error.message.includes('No space left on device')) return;
        throw error;
      }
      throw new Error(`The disk at ${folder} could not be filled`);
    },
    free: async () => {
      const [program = '', ...args] = inside(['rm', '-f', ballast]);
      await run(program, args);
    },
    close: async () => {
      await stopChild(holder, 'SIGKILL');
    },
  };
  try {
    // Whoever may mount may still be refused the way in.
    const [program = '', ...args] = inside(['test', '-w', folder]);
    execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  } catch (error) {
    await disk.close();
    throw error;
  }
  return disk;
}

/** @param {import('node:child_process').ChildProcessWithoutNullStreams} holder */
function untilMounted(holder) {
  return new Promise((resolve, reject) => {
    let output = '';
    for (const stream of [holder.stdout, holder.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
        if (output.includes('mounted\n')) resolve(undefined);
      });
    }
    holder.once('error', reject);
    holder.once('close', () => reject(new Error(output.trim() || 'The file system is gone')));
  });
}
