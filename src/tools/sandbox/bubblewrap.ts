import path from 'node:path';
import { spawn } from 'node:child_process';
import { isWithin } from '../../platform/is-within.js';
import {
  bashArguments,
  bashFile,
  isExecutable,
  SECOND_INPUT,
  writeSecondInput,
} from './shell-program.js';

export interface SandboxPlan extends MountPlan {
  /** Whether commands can use the machine's network. */
  network: boolean;
  /** Whether the server runs as root; commands then see another user id. */
  isRoot: boolean;
  /** Whether a filter of system calls is passed as the second input. */
  isFiltered: boolean;
}

/** A user and group id that is not root's. */
const UNPRIVILEGED_ID = '1000';

/**
 * Arguments of bubblewrap (0.8 or later) that run a shell in a sandbox. The sandbox's first process dies
 * with bubblewrap, and everything in the sandbox with it. New files belong to the server's user.
 */
export function bubblewrapArguments(plan: SandboxPlan): string[] {
  const { network, isRoot, isFiltered, root } = plan;
  return [
    // A program that sees user id 0 attempts what only root can, as chown.
    ['--unshare-user', ...(isRoot ? ['--uid', UNPRIVILEGED_ID, '--gid', UNPRIVILEGED_ID] : [])],
    ['--disable-userns', '--cap-drop', 'ALL'],
    ['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    network ? [] : ['--unshare-net'],
    ['--die-with-parent', '--new-session'],
    isFiltered ? ['--seccomp', String(SECOND_INPUT)] : [],
    mountArguments(plan),
    ['--chdir', root, '--', bashFile, ...bashArguments],
  ].flat();
}

/** A path that exists, without links. */
export interface RealPath {
  path: string;
  isFolder: boolean;
}

export interface MountPlan {
  /** The project root, without links: the only writable folder except `/tmp`. */
  root: string;
  /** Paths hidden from commands. A root inside of a hidden folder stays visible. */
  hidden: readonly RealPath[];
  /** What stays visible inside hidden folders, read-only. */
  shown: readonly RealPath[];
  /** Paths that commands must not write, also inside the root. */
  readOnly: readonly RealPath[];
  /** Size of `/tmp`, in bytes. */
  tmpBytes: number;
  /** Size of `/dev/shm`, in bytes. */
  sharedBytes: number;
}

/** Entries of `/proc` mounted read-only: commands of a server that runs as root could write them. */
const kernelFolders = ['sys', 'sysrq-trigger', 'irq', 'bus', 'fs', 'acpi', 'scsi', 'driver', 'tty'];

const HIDDEN_BYTES = 65_536;

/**
 * Mount options of bubblewrap, in the order of execution: everything read-only, then covers over hidden
 * paths, then the root, then hidden and read-only paths inside the root.
 */
export function mountArguments(plan: MountPlan): string[] {
  const { root, hidden, shown, readOnly, tmpBytes, sharedBytes } = plan;
  const tmp = { path: '/tmp', isFolder: true };
  const inside = outermost(hidden.filter((one) => isWithin(root, one.path) && one.path !== root));
  const outside = outermost([tmp, ...hidden.filter((one) => !isWithin(root, one.path))]);
  const covers = outside.filter((one) => one !== tmp);
  const kept = readOnly.filter((one) => isWithin(root, one.path));
  const sized = (bytes: number) => ['--size', String(bytes), '--tmpfs'];
  return [
    ['--ro-bind', '/', '/'],
    ['--dev', '/dev', ...sized(sharedBytes), '/dev/shm', '--remount-ro', '/dev'],
    ['--proc', '/proc'],
    ...kernelFolders.map((name) => bind('--ro-bind-try', `/proc/${name}`)),
    [...sized(tmpBytes), '/tmp'],
    ...covers.map(hide),
    ...shown.map((one) => bind('--ro-bind', one.path)),
    bind('--bind', root),
    ...pinned(root, [...inside, ...kept]).map((folder) => bind('--bind', folder)),
    ...kept.map((one) => bind('--ro-bind', one.path)),
    ...inside.map(hide),
    // Last, as the root may be mounted inside of a cover.
    ...[...covers, ...inside].filter(isFolder).map((one) => ['--remount-ro', one.path]),
  ].flat();
}

function bind(option: string, one: string): string[] {
  return [option, one, one];
}

function hide(one: RealPath): string[] {
  if (!one.isFolder) return ['--ro-bind', '/dev/null', one.path];
  return ['--size', String(HIDDEN_BYTES), '--tmpfs', one.path];
}

function isFolder(one: RealPath): boolean {
  return one.isFolder;
}

/** The paths that lie inside no other: a hidden folder needs no cover inside. */
function outermost(paths: readonly RealPath[]): RealPath[] {
  const others = (one: RealPath) => paths.filter((other) => other.path !== one.path);
  const unique = [...new Map(paths.map((one) => [one.path, one])).values()];
  return unique.filter((one) => !others(one).some((other) => isWithin(other.path, one.path)));
}

/**
 * The folders between the root and the hidden or read-only paths in it. A mounted folder cannot be
 * renamed: a command could otherwise move a folder away, and its next shell would see what was hidden.
 */
function pinned(root: string, paths: readonly RealPath[]): string[] {
  const folders = new Set<string>();
  for (const { path: one } of paths) {
    for (let folder = path.dirname(one); isWithin(root, folder); folder = path.dirname(folder)) {
      if (folder === root) break;
      folders.add(folder);
    }
  }
  return [...folders].toSorted((a, b) => a.length - b.length);
}

/** Time limit of the trial run, in ms; it usually takes ten. */
const TRIAL_MS = 10_000;

/** The path of bubblewrap; undefined when it is not installed. */
export async function findBubblewrap(searchPath: string): Promise<string | undefined> {
  for (const folder of searchPath.split(path.delimiter).filter((one) => path.isAbsolute(one))) {
    const file = path.join(folder, 'bwrap');
    if (await isExecutable(file)) return file;
  }
  return undefined;
}

/**
 * Runs an empty command in a sandbox: only a trial shows whether user namespaces, mounts and all options
 * are allowed here.
 *
 * @param filter the filter of system calls that `args` makes bubblewrap read from its second input.
 * @returns why the sandbox does not work; undefined when it does.
 */
export async function tryBubblewrap(
  file: string,
  args: readonly string[],
  filter?: Buffer,
): Promise<string | undefined> {
  const trial = spawn(file, [...args, '-c', 'exit 0'], {
    cwd: '/',
    env: {},
    stdio: ['ignore', 'ignore', 'pipe', ...(filter === undefined ? [] : ['pipe' as const])],
    timeout: TRIAL_MS,
    killSignal: 'SIGKILL',
  });
  writeSecondInput(trial, filter);
  let stderr = '';
  trial.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const end = await new Promise<string | number | null>((resolve) => {
    trial.once('error', (error) => resolve(error.message)).once('close', (code) => resolve(code));
  });
  if (end === 0) return undefined;
  const [firstLine = ''] = stderr.trim().split('\n');
  if (firstLine !== '') return firstLine;
  return typeof end === 'string' ? end : `it ended with exit code ${end}`;
}
