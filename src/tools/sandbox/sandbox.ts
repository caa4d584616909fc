import { realpath } from 'node:fs/promises';
import type { Clock } from '../../platform/clock.js';
import { isWithin } from '../../platform/is-within.js';
import { ToolFailure } from '../tool-failure.js';
import { bubblewrapArguments } from './bubblewrap-arguments.js';
import { findBubblewrap, tryBubblewrap } from './find-bubblewrap.js';
import { lookAtPaths } from './look-at-paths.js';
import { findCgroupPlace, makeCgroup } from './process-cgroup.js';
import { limitLines, type ResourceLimits } from './resource-limits.js';
import { homeFolders, secretPaths } from './secret-paths.js';
import { bashArguments, bashEnvironment, bashFile, type ShellProgram } from './shell-program.js';

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
    const sandbox = new Sandbox(file, options, await findPlace(options.clock));
    const fault = await tryBubblewrap(file, await sandbox.#arguments(trialFolder));
    if (fault === undefined) return { kind: 'bubblewrap', sandbox };
    return { kind: 'none', reason: `bubblewrap does not work here (${fault})` };
  }

  private constructor(
    private readonly file: string,
    private readonly options: SandboxOptions,
    private readonly cgroups: string | undefined,
  ) {}

  /** What its limits do not limit, where that is so. */
  get weakness(): string | undefined {
    if (!isRoot() || this.cgroups !== undefined) return undefined;
    return 'the server runs as root, whose processes the kernel does not limit without the pids cgroup';
  }

  /**
   * A shell in `folder`, with what is hidden now: paths are looked at again for each.
   *
   * @throws ToolFailure when no sandbox can be made around that folder.
   */
  async program(folder: string, { env, others }: ShellNeeds): Promise<ShellProgram> {
    const { limits, clock } = this.options;
    const args = await this.#arguments(folder, others);
    const group =
      this.cgroups === undefined
        ? undefined
        : await makeCgroup(this.cgroups, limits.processes, clock);
    const join = 'echo $$ > "$0" && exec "$@"';
    return {
      ...(group === undefined
        ? { file: this.file, args }
        : {
            file: bashFile,
            args: [...bashArguments, '-c', join, group.joinFile, this.file, ...args],
            release: () => group.remove(),
          }),
      cwd: '/',
      // Bubblewrap's own environment too: the sandbox can read that of its first process.
      env: { ...env, ...bashEnvironment, TMPDIR: '/tmp' },
      setUp: limitLines(limits),
    };
  }

  async #arguments(folder: string, others?: readonly string[]): Promise<string[]> {
    const { limits, network, hide, protect } = this.options;
    const root = await realpath(folder);
    if (others !== undefined && root !== folder) throw rootMoved();
    const data = await lookAtPaths(this.options.dataFolders);
    checkRoot(root, data);
    const secrets = secretPaths(await homeFolders());
    return bubblewrapArguments({
      root,
      hidden: [...data, ...(await lookAtPaths([...secrets, ...hide, ...(others ?? [])]))],
      shown: network ? await lookAtPaths(['/etc/resolv.conf']) : [],
      readOnly: await lookAtPaths(protect),
      tmpBytes: limits.memoryMb * MIB,
      network,
      isRoot: isRoot(),
    });
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** For anybody else a limit of the shell's own does. */
async function findPlace(clock: Clock): Promise<string | undefined> {
  return isRoot() ? findCgroupPlace(clock) : undefined;
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
