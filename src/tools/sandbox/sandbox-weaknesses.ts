import type { Controller } from './cgroup-parents.js';

export interface Strength {
  /** Controllers that limit the sandbox. */
  limited: readonly Controller[];
  /** Whether system calls are filtered. */
  isFiltered: boolean;
  isRoot: boolean;
}

/** The limits and protections that a sandbox lacks, each in a few words. Pure. */
export function findWeaknesses({ limited, isFiltered, isRoot }: Strength): string[] {
  const without = (controller: Controller, weakness: string) =>
    limited.includes(controller) ? [] : [weakness];
  return [
    ...without(
      'memory',
      'memory is limited for each process and not for all of a sandbox, as no memory cgroup can be made',
    ),
    ...without('cpu', 'processors are not limited, as no cpu cgroup can be made'),
    // For other users than root, the shell's own limit does.
    ...(isRoot
      ? without(
          'pids',
          'the server runs as root, whose processes the kernel does not limit, as no pids cgroup can be made',
        )
      : []),
    ...(isFiltered
      ? []
      : ['system calls are not filtered, as there is no filter for this machine']),
    ...(isFiltered || !isRoot
      ? []
      : ["the server runs as root, and commands can make set-user-id files that are root's"]),
  ];
}
