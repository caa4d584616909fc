import { realpath, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { Clock } from '../../platform/clock.js';
import { compact } from '../../platform/compact.js';
import { closing, FolderHandle } from '../../platform/files/folder-handle.js';
import { unlessGone } from '../../platform/error-code.js';
import { isWithin } from '../../platform/is-within.js';
import { ToolFailure } from '../tool.js';
import { homeFolders, kernelFolders, secretPaths } from '../resolve-own-paths.js';
import { bubblewrapArguments, findBubblewrap, tryBubblewrap, type RealPath } from './bubblewrap.js';
import {
  findCgroups,
  makeCgroup,
  type Controller,
  type ResourceLimits,
  type UsableCgroups,
} from './cgroups.js';
import { ShellOutputs } from './shell-outputs.js';
import { seccompFilter } from './seccomp-filter.js';
import { bashArguments, bashEnvironment, bashFile, type ShellProgram } from './shell-program.js';

/** A script that joins each cgroup named before `--`, and execs the command after it. */
const joinAndRun =
  'for file in "$0" "$@"; do [ "$file" = -- ] && break; echo $$ > "$file" || exit; shift; done; exec "$@"';

const MIB = 1024 * 1024;

/** A folder that exists everywhere; the trial writes nothing. */
const trialFolder = '/usr';

export interface SandboxOptions {
  limits: ResourceLimits;
  network: boolean;
  /** The server's own folders, which may be inside a project root. */
  dataFolders: readonly string[];
  /** More hidden paths, in addition to the usual paths of secrets. */
  hide: readonly string[];
  /** Paths that commands may read but not write, also inside a project root. */
  protect: readonly string[];
  /** The server's `PATH`. */
  searchPath: string;
  clock: Clock;
}

/** The environment and the extra hidden folders of a shell. */
export interface ShellNeeds {
  env: Readonly<Record<string, string>>;
  /** Folders of other principals, hidden too; with them the root must have no links. Absent: none. */
  others?: readonly string[] | undefined;
}

/** No sandbox works here: why, in a few words. */
export interface NoSandbox {
  reason: string;
}

/** Starts shells that see and change no more than their project needs. */
export class Sandbox {
  /** Finds bubblewrap, and tries whether it works here. */
  static async find(options: SandboxOptions): Promise<Sandbox | NoSandbox> {
    if (process.platform !== 'linux') {
      return { reason: `there is no sandbox for commands on ${process.platform}` };
    }
    const file = await findBubblewrap(options.searchPath);
    if (file === undefined) return { reason: 'bubblewrap (bwrap) is not installed' };
    const cgroups = await findCgroups(options.limits, options.clock);
    const sandbox = new Sandbox(file, options, cgroups);
    const fault = await sandbox.#try();
    if (fault === undefined) return sandbox;
    return { reason: `bubblewrap does not work here (${fault})` };
  }

  /**
   * The filter of system calls; undefined for an unknown architecture, or when the kernel refuses
   * it.
   */
  #filter = seccompFilter(process.arch);

  private constructor(
    private readonly file: string,
    private readonly options: SandboxOptions,
    private readonly cgroups: UsableCgroups,
  ) {}

  /** The limits and protections that it lacks here. */
  get weaknesses(): readonly string[] {
    const { limited } = this.cgroups;
    return findWeaknesses({ limited, isFiltered: this.#filter !== undefined, isRoot: isRoot() });
  }

  /**
   * The program of a shell in `folder`. Hidden paths are resolved anew for each shell.
   *
   * @throws ToolFailure when the folder cannot be sandboxed.
   */
  async program(folder: string, { env, others }: ShellNeeds): Promise<ShellProgram> {
    const { limits, clock } = this.options;
    const identity = await identityOf(folder, others !== undefined);
    const outputs = await ShellOutputs.make(clock);
    const args = await this.#arguments(folder, { others, outputs }).catch(
      async (error: unknown) => {
        await outputs.close();
        throw error;
      },
    );
    const group = await makeCgroup(this.cgroups, limits, clock);
    return {
      outputs,
      ...(group.joinFiles.length === 0
        ? { file: this.file, args }
        : {
            file: bashFile,
            args: [
              ...bashArguments,
              '-c',
              joinAndRun,
              ...group.joinFiles,
              '--',
              this.file,
              ...args,
            ],
            release: () => group.remove(),
          }),
      ...compact({ secondInput: this.#filter }),
      cwd: '/',
      // Bubblewrap runs with it too: the sandbox can read the environment of its first process.
      env: { ...env, ...bashEnvironment, TMPDIR: '/tmp' },
      setUp: [stayLine(identity), ...limitLines(limits)],
    };
  }

  /** @returns why bubblewrap does not work. The filter is dropped where the kernel refuses it. */
  async #try(): Promise<string | undefined> {
    const filtered = this.#filter;
    const fault = await tryBubblewrap(this.file, await this.#arguments(trialFolder), filtered);
    if (fault === undefined || filtered === undefined) return fault;
    this.#filter = undefined;
    return tryBubblewrap(this.file, await this.#arguments(trialFolder));
  }

  async #arguments(
    folder: string,
    { others, outputs }: { others?: readonly string[] | undefined; outputs?: ShellOutputs } = {},
  ): Promise<string[]> {
    const { limits, network, hide, protect } = this.options;
    const root = await realpath(folder);
    if (others !== undefined && root !== folder) throw rootMoved();
    const data = await existingPaths(this.options.dataFolders);
    checkRoot(root, data);
    const secrets = [...secretPaths(await homeFolders()), ...(await temporaryFolders())];
    const shown = network ? ['/etc/resolv.conf'] : [];
    return bubblewrapArguments({
      root,
      hidden: [...data, ...(await existingPaths([...secrets, ...hide, ...(others ?? [])]))],
      shown: await existingPaths(outputs === undefined ? shown : [...shown, outputs.folder]),
      readOnly: await existingPaths(protect),
      // Files in memory count in a cgroup: when both are full, programs have a quarter left.
      tmpBytes: (limits.memoryMb / 2) * MIB,
      sharedBytes: (limits.memoryMb / 4) * MIB,
      network,
      isRoot: isRoot(),
      isFiltered: this.#filter !== undefined,
    });
  }
}

/** The server's folder of temporary files, which has the outputs of other shells. The sandbox has a `/tmp` of its own. */
async function temporaryFolders(): Promise<string[]> {
  const folder = await realpath(tmpdir());
  return isWithin('/tmp', folder) ? [] : [folder];
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * What tells the project root from other folders.
 *
 * @param isExact whether the path has no links, or is not followed.
 * @throws ToolFailure when it has one then.
 */
async function identityOf(folder: string, isExact: boolean): Promise<string> {
  const held = await unlessGone(FolderHandle.open(isExact ? folder : await realpath(folder)));
  if (held === undefined) throw rootMoved();
  return closing(held, () => held.identity());
}

/**
 * A line that ends a shell in any other folder than the project root: bubblewrap mounts it by its path, and a command of
 * another session may exchange the folder for a link between the check and the mount.
 */
function stayLine(identity: string): string {
  const refusal = 'was not started: the project root was exchanged for another folder meanwhile';
  return `[ "$(stat -c %d:%i .)" = ${identity} ] || { echo '${refusal}' >&2; exit 1; }`;
}

/**
 * The error for a root whose links changed since the check: another principal's folder would be
 * mounted.
 */
function rootMoved(): ToolFailure {
  return new ToolFailure(
    'bash: the project root leads to another folder since the turn began; send another turn',
  );
}

function checkRoot(root: string, data: readonly { path: string }[]): void {
  if (root === '/' || kernelFolders.some((one) => isWithin(one, root))) {
    throw new ToolFailure(
      `bash: commands do not run with ${root} as the project root; choose a folder of files`,
    );
  }
  if (data.some((one) => one.path === root)) {
    throw new ToolFailure(
      "bash: commands do not run in the server's own data folder; choose another project root",
    );
  }
}

/** The paths that exist, with every link resolved. */
async function existingPaths(paths: readonly string[]): Promise<RealPath[]> {
  const found = await Promise.all(
    paths.map(async (one) => {
      try {
        const real = await realpath(one);
        return { path: real, isFolder: (await stat(real)).isDirectory() };
      } catch {
        return undefined;
      }
    }),
  );
  return found.filter((one) => one !== undefined);
}

export interface SandboxStrength {
  /** Controllers that limit the sandbox. */
  limited: readonly Controller[];
  /** Whether system calls are filtered. */
  isFiltered: boolean;
  isRoot: boolean;
}

/** The limits and protections that a sandbox lacks, each in a few words. Pure. */
export function findWeaknesses({ limited, isFiltered, isRoot }: SandboxStrength): string[] {
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

const OPEN_FILES = 1_024;
const FILE_MB = 4_096;
const CPU_SECONDS = 3_600;

/** MiB that Node 24 maps writable for its code and does not use; without them `node` would not start. */
const RESERVED_MB = 512;

/**
 * Shell lines that limit the shell and its children for good: raising a hard limit takes a capability. A
 * hard limit that is lower already stays.
 *
 * Memory is limited as data, not as address space, of which runtimes reserve far more than they use. Data counts what is
 * reserved writable too, so the limit of a process has room for that; a memory cgroup counts what is used.
 */
function limitLines({ memoryMb, processes }: ResourceLimits): string[] {
  return [
    'ulimit -c 0',
    `ulimit -d ${(memoryMb + RESERVED_MB) * 1_024}`,
    `ulimit -f ${FILE_MB * 1_024}`,
    `ulimit -n ${OPEN_FILES}`,
    `ulimit -t ${CPU_SECONDS}`,
    `ulimit -u ${processes}`,
  ];
}
