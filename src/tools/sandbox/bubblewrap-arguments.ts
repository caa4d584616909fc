import { bashArguments, bashFile, SECOND_INPUT } from './shell-program.js';
import { mountArguments, type MountPlan } from './sandbox-mounts.js';

export interface SandboxPlan extends MountPlan {
  /** Whether commands reach the network of the machine. */
  network: boolean;
  /** The server is root: the commands are told that they are not. */
  isRoot: boolean;
  /** A filter of system calls comes in as its second input. */
  isFiltered: boolean;
}

/** Any that is not root's. */
const SOMEBODY = '1000';

/**
 * Arguments of bubblewrap (0.8 or later) that put a shell into a sandbox. Its first process dies
 * with bubblewrap, and everything in the sandbox with that. Files it makes are the server's user's.
 */
export function bubblewrapArguments(plan: SandboxPlan): string[] {
  const { network, isRoot, isFiltered, root } = plan;
  return [
    // A program that believes to be root tries what only root can, as to give files away.
    ['--unshare-user', ...(isRoot ? ['--uid', SOMEBODY, '--gid', SOMEBODY] : [])],
    ['--disable-userns', '--cap-drop', 'ALL'],
    ['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    network ? [] : ['--unshare-net'],
    ['--die-with-parent', '--new-session'],
    isFiltered ? ['--seccomp', String(SECOND_INPUT)] : [],
    mountArguments(plan),
    ['--chdir', root, '--', bashFile, ...bashArguments],
  ].flat();
}
