import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { environmentOf, type Pod } from './pods.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** What a container may change, and where. */
export interface PodVolumes {
  /** The folder that is `/projects`. */
  projects: string;
}

/**
 * A command in what a container of the pod would see: its user, a read-only root with the image's files,
 * and its volumes. The network is this machine's.
 *
 * @returns a program and its arguments.
 */
export function inPod(command: readonly string[], { projects }: PodVolumes): [string, ...string[]] {
  const image = ['dist', 'node_modules', 'package.json', 'instructions'];
  const system = ['/usr', '/etc', '/bin', '/lib', '/lib64', '/sbin'];
  const readOnly = [
    ...system.flatMap((folder) => ['--ro-bind-try', folder, folder]),
    ...image.flatMap((name) => ['--ro-bind', path.join(root, name), `/app/${name}`]),
    // The Node of these tests may be one that was brought, in a folder that a pod does not have.
    '--ro-bind',
    process.execPath,
    '/app/node',
  ];
  const user = ['--unshare-user', '--uid', '1000', '--gid', '1000', '--die-with-parent'];
  const own = [
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--tmpfs',
    '/tmp',
    '--bind',
    projects,
    '/projects',
  ];
  const [program = '', ...args] = command;
  return [
    'bwrap',
    ...user,
    ...readOnly,
    ...own,
    '--remount-ro',
    '/',
    '--chdir',
    '/app',
    program === 'node' ? '/app/node' : program,
    ...args,
  ];
}

/** The variables of a pod's container, with those of this test in the place of what a cluster gives. */
export function podEnvironment(
  pod: Pod,
  secrets: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>>,
): Record<string, string> {
  const [container] = pod.spec.containers;
  return { ...environmentOf(container, secrets), HOME: '/home/node', ...more };
}
