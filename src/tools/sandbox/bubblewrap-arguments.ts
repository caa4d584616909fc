import { bashArguments, bashFile, SECOND_INPUT } from './shell-program.js';
import { mountArguments, type MountPlan } from './sandbox-mounts.js';

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
