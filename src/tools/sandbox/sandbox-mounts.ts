import path from 'node:path';
import { isWithin } from '../../platform/is-within.js';

/** A path that exists, without links. */
export interface RealPath {
  path: string;
  isFolder: boolean;
}

export interface MountPlan {
  /** The project root, without links. The one place that can be written, beside `/tmp`. */
  root: string;
  /** What commands must not see. Where the root is inside of one, the root is seen. */
  hidden: readonly RealPath[];
  /** Files that are seen all the same. */
  shown: readonly RealPath[];
  /** What they must not write, also where it is inside the root. */
  readOnly: readonly RealPath[];
  /** Of `/tmp`, in bytes. */
  tmpBytes: number;
  /** Of `/dev/shm`. */
  sharedBytes: number;
}

/** The kernel's files are root's: a server that runs as root would let commands write them. */
const kernelFolders = ['sys', 'sysrq-trigger', 'irq', 'bus', 'fs', 'acpi', 'scsi', 'driver', 'tty'];

const HIDDEN_BYTES = 65_536;

/**
 * Options of bubblewrap, in the order they are carried out: everything read-only, then what is
 * hidden, then the root over it, then what is hidden or kept inside the root.
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
    // At the end: the root may be inside of one.
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

/** Without those inside of others: what is hidden needs no second cover. */
function outermost(paths: readonly RealPath[]): RealPath[] {
  const others = (one: RealPath) => paths.filter((other) => other.path !== one.path);
  const unique = [...new Map(paths.map((one) => [one.path, one])).values()];
  return unique.filter((one) => !others(one).some((other) => isWithin(other.path, one.path)));
}

/**
 * The folders between the root and what is hidden or kept in it. Mounted, they cannot be renamed: a
 * command that moves one away would find in its next shell what was under it, and not hidden.
 */
function pinned(root: string, paths: readonly RealPath[]): string[] {
  const folders = new Set<string>();
  for (const { path: one } of paths) {
    for (let folder = path.dirname(one); isWithin(root, folder); folder = path.dirname(folder)) {
      if (folder === root) break;
      folders.add(folder);
    }
  }
  return [...folders].sort((a, b) => a.length - b.length);
}
