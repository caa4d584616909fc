import { realpath, stat } from 'node:fs/promises';
import type { Clock } from '../../platform/clock.js';
import { compact } from '../../platform/compact.js';
import { isWithin } from '../../platform/is-within.js';
import { ToolFailure } from '../calls/tool-failure.js';
import { bubblewrapArguments } from './bubblewrap-arguments.js';
import { findBubblewrap, tryBubblewrap } from './find-bubblewrap.js';
import type { RealPath } from './sandbox-mounts.js';
import { findCgroups, makeCgroup, type UsableCgroups } from './sandbox-cgroup.js';
import { findWeaknesses } from './sandbox-weaknesses.js';
import { seccompFilter } from './seccomp-filter.js';
import { limitLines, type ResourceLimits } from './resource-limits.js';
import { homeFolders, secretPaths } from './secret-paths.js';
import { bashArguments, bashEnvironment, bashFile, type ShellProgram } from './shell-program.js';

/** Joins each group that is named, up to `--`, and becomes what comes after it. */
const joinAndRun =
  'for file in "$0" "$@"; do [ "$file" = -- ] && break; echo $$ > "$file" || exit; shift; done; exec "$@"';

const MIB = 1024 * 1024;

/** One that is there everywhere; the trial writes nothing. */
const trialFolder = '/usr';

/** What no command may write to: the kernel's own, and everything. */
const unfitRoots = ['/proc', '/sys', '/dev'];

export interface SandboxOptions {
  limits: ResourceLimits;
  network: boolean;
  /** The server's own folders, which may be inside a project root. */
  dataFolders: readonly string[];
  /** Folders that are hidden beside those where secrets usually are. */
  hide: readonly string[];
  /** What commands may read and not write, also inside a project root. */
  protect: readonly string[];
  /** The server's `PATH`. */
  searchPath: string;
  clock: Clock;
}

/** What one shell is started with. */
export interface ShellNeeds {
  env: Readonly<Record<string, string>>;
  /** Folders of others, which are hidden too, and for whose sake the root has no links; absent: none. */
  others?: readonly string[] | undefined;
}

export type FoundSandbox = { kind: 'bubblewrap'; sandbox: Sandbox } | NoSandbox;
export interface NoSandbox {
  kind: 'none';
  /** In a few words. */
  reason: string;
}

/** Starts shells that see and change no more than their project's folder needs. */
export class Sandbox {
  /** Looks for bubblewrap, and whether it works here. */
  static async find(options: SandboxOptions): Promise<FoundSandbox> {
    if (process.platform !== 'linux') {
      return { kind: 'none', reason: `there is no sandbox for commands on ${process.platform}` };
    }
    const file = await findBubblewrap(options.searchPath);
    if (file === undefined) {
      return { kind: 'none', reason: 'bubblewrap (bwrap) is not installed' };
    }
    const cgroups = await findCgroups(options.limits, options.clock);
    const sandbox = new Sandbox(file, options, cgroups);
    const fault = await sandbox.#try();
    if (fault === undefined) return { kind: 'bubblewrap', sandbox };
    return { kind: 'none', reason: `bubblewrap does not work here (${fault})` };
  }

  /** Of system calls; undefined where there is none, or where this kernel does not take it. */
  #filter = seccompFilter(process.arch);

  private constructor(
    private readonly file: string,
    private readonly options: SandboxOptions,
    private readonly cgroups: UsableCgroups,
  ) {}

  /** What it does not limit or keep out here. */
  get weaknesses(): readonly string[] {
    const { limited } = this.cgroups;
    return findWeaknesses({ limited, isFiltered: this.#filter !== undefined, isRoot: isRoot() });
  }

  /**
   * A shell in `folder`, with what is hidden now: paths are looked at again for each.
   *
   * @throws ToolFailure when no sandbox can be made around that folder.
   */
  async program(folder: string, { env, others }: ShellNeeds): Promise<ShellProgram> {
    const { limits, clock } = this.options;
    const args = await this.#arguments(folder, others);
    const group = await makeCgroup(this.cgroups, limits, clock);
    return {
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
      // Bubblewrap's own environment too: the sandbox can read that of its first process.
      env: { ...env, ...bashEnvironment, TMPDIR: '/tmp' },
      setUp: limitLines(limits),
    };
  }

  /** @returns why bubblewrap does not work. Without the filter it may, where the kernel has none. */
  async #try(): Promise<string | undefined> {
    const filtered = this.#filter;
    const fault = await tryBubblewrap(this.file, await this.#arguments(trialFolder), filtered);
    if (fault === undefined || filtered === undefined) return fault;
    this.#filter = undefined;
    return tryBubblewrap(this.file, await this.#arguments(trialFolder));
  }

  async #arguments(folder: string, others?: readonly string[]): Promise<string[]> {
    const { limits, network, hide, protect } = this.options;
    const root = await realpath(folder);
    if (others !== undefined && root !== folder) throw rootMoved();
    const data = await existingPaths(this.options.dataFolders);
    checkRoot(root, data);
    const secrets = secretPaths(await homeFolders());
    return bubblewrapArguments({
      root,
      hidden: [...data, ...(await existingPaths([...secrets, ...hide, ...(others ?? [])]))],
      shown: network ? await existingPaths(['/etc/resolv.conf']) : [],
      readOnly: await existingPaths(protect),
      // Files in memory count for a cgroup: both full, programs have a quarter left.
      tmpBytes: (limits.memoryMb / 2) * MIB,
      sharedBytes: (limits.memoryMb / 4) * MIB,
      network,
      isRoot: isRoot(),
      isFiltered: this.#filter !== undefined,
    });
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** A link that was turned since the root was checked would have another's folder bound. */
function rootMoved(): ToolFailure {
  return new ToolFailure(
    'bash: the project root leads to another folder since the turn began; send another turn',
  );
}

function checkRoot(root: string, data: readonly { path: string }[]): void {
  if (root === '/' || unfitRoots.some((one) => isWithin(one, root))) {
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
