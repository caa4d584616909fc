export interface ResourceLimits {
  /** Memory of a process, of the files in `/tmp` and, with a cgroup, of all together, in MiB. */
  memoryMb: number;
  /** Processes of a shell at a time. */
  processes: number;
  /** CPU of a shell and its children, in percent of one processor. Needs a cgroup. */
  cpuPercent: number;
}

const OPEN_FILES = 1_024;
const FILE_MB = 4_096;
const CPU_SECONDS = 3_600;

/**
 * Shell lines that limit the shell and its children for good: raising a hard limit takes a capability. A
 * hard limit that is lower already stays.
 *
 * Memory is limited as data, not as address space, of which runtimes reserve far more than they use.
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
