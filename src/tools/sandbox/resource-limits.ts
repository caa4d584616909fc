export interface ResourceLimits {
  /** Of one process, of the files in `/tmp` and, where there is a cgroup, of all together, in MiB. */
  memoryMb: number;
  /** That one shell may have at a time. */
  processes: number;
  /** Of one shell and what it starts, in percent of one processor. Needs a cgroup. */
  cpuPercent: number;
}

const OPEN_FILES = 1_024;
const FILE_MB = 4_096;
const CPU_SECONDS = 3_600;

/**
 * Lines for a shell that limit it and what it starts, for good: raising them again takes a
 * capability. A hard limit that is lower already stays.
 *
 * Memory is limited as data, not as address space: runtimes reserve much more of that than they use.
 */
export function limitLines({ memoryMb, processes }: ResourceLimits): string[] {
  return [
    'ulimit -c 0',
    `ulimit -d ${memoryMb * 1_024}`,
    `ulimit -f ${FILE_MB * 1_024}`,
    `ulimit -n ${OPEN_FILES}`,
    `ulimit -t ${CPU_SECONDS}`,
    `ulimit -u ${processes}`,
  ];
}
