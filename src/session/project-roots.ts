import type { SkillProject } from '../agents/skill-library.js';
import { hash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { KeyRoots } from '../access/keys/key-store.js';
import { type Credential, type Principal, LOCAL_USER } from '../access/principal.js';
import { hiddenFrom, type OwnPaths } from '../governance/permissions/own-paths.js';
import type { Clock } from '../platform/clock.js';
import { compact } from '../platform/compact.js';
import { isWithin } from '../platform/is-within.js';
import { TtlCache } from '../platform/async/ttl-cache.js';
import { resolveLinks, withLinkTargets } from '../tools/calls/call-paths.js';
import { ProjectQuota } from '../tools/project-quota.js';
import type { ClaudeProjects } from './claude-projects.js';
import { checkProjectRoot, type OpenRoots } from './check-project-root.js';

/** TTL of the folders that keys open, for turns without a request of their own, in ms. */
const ROOTS_FRESH_MS = 1_000;

/** TTL of the quota of a folder, with what was counted, in ms. */
const QUOTA_FRESH_MS = 60_000;

/** TTL of the check of a turn's folder, in ms: each turn asks twice, and the disk answers slowly. */
const CHECK_FRESH_MS = 1_000;

export interface ProjectRootsOptions {
  instructionRoot: string;
  ownPaths: OwnPaths;
  /** Parent of each principal's folder, which is made when it is needed. */
  projectsDir: string;
  /** Folder of sessions that name none; undefined: the principal's own. */
  sharedRoot: string | undefined;
  /** Folders that are open to every principal. */
  listed: readonly string[];
  /** Folders that roles of identity providers open. */
  roleRoots: readonly string[];
  /** Whether callers of an open server may name any folder: only this machine reaches it. */
  isOpenWithoutKey: boolean;
  /** Most MiB of a principal's own folder; 0: any number. */
  quotaMb: number;
  clock: Clock;
  /** What the projects in these folders have for sessions. */
  files: ClaudeProjects;
  /** Whether the server takes requests without a credential now. */
  isOpen(): Promise<boolean>;
  /** Loads the folders that the valid keys open. */
  loadKeyRoots(): Promise<KeyRoots>;
}

/** The sender of a request, or the owner of a session. */
export interface RootUser extends Pick<Principal, 'id' | 'projectRoots'> {
  credential: Pick<Credential, 'kind'>;
}

/** The owner of a turn, whose keys are looked up when it runs. */
export interface TurnOwner {
  id: string;
  /**
   * Folders that the sender's role opens; null: the sender had no role. Roles are known where requests are served, and
   * a worker that knows of no identity provider must not take the server of such a turn for an open one.
   */
  roleRoots: readonly string[] | null;
}

/** Whether the server is open, and the folders that keys open. */
interface OpenToKeys {
  isOpen: boolean;
  roots: KeyRoots;
}

/** The folder of a turn, and the paths that its tools cannot see. */
export interface OpenedRoot {
  /** Without links where other principals have folders: the checked path is the opened path. */
  projectRoot: string;
  /** The project root without links. */
  real: string;
  /** The project root as it is named and without links, each once. */
  spellings: readonly string[];
  ownPaths: OwnPaths;
  /** Folders of other principals; undefined: there are no others. */
  others: readonly string[] | undefined;
  /** The quota of the folder that the server made for the principal. Absent: the folder is another. */
  quota?: ProjectQuota;
}

interface CheckedRoot {
  projectRoot: string;
  /** The path without links. */
  real: string;
}

interface CheckedForTurn extends CheckedRoot {
  /** The principal's own folder without links, where the project root is in it. */
  own: string | undefined;
}

/** Folders that sessions may work in: the projects folder, and what the operator named for whom. */
export class ProjectRoots {
  #keyRoots: TtlCache<OpenToKeys>;
  readonly #opened: TtlCache<CheckedForTurn>;
  readonly #quotas: TtlCache<ProjectQuota | undefined>;
  readonly files: ClaudeProjects;

  constructor(private readonly options: ProjectRootsOptions) {
    this.files = options.files;
    this.#keyRoots = this.#newKeyRoots();
    this.#opened = new TtlCache(options.clock, CHECK_FRESH_MS);
    this.#quotas = new TtlCache(options.clock, QUOTA_FRESH_MS);
  }

  /** @returns the normalised path. @throws TypedError INVALID_REQUEST 400, WORKING_ROOT_*. */
  async check(given: string, user: RootUser): Promise<string> {
    return (await this.#check(given, user)).projectRoot;
  }

  /** The folder of a user's sessions that name none; it is made when it is missing. */
  async defaultOf(user: RootUser): Promise<string> {
    const { sharedRoot } = this.options;
    if (sharedRoot !== undefined) return sharedRoot;
    const own = this.ownOf(user.id);
    await mkdir(own, { recursive: true });
    return own;
  }

  /**
   * Opens the folder of a session's turn for its owner: any of the owner's present keys may open it, or the role that
   * sent the turn.
   *
   * @throws TypedError WORKING_ROOT_*.
   */
  async openForOwner(given: string, user: TurnOwner): Promise<OpenedRoot> {
    const before = this.#keyRoots;
    const owner = ownerIn(user, await this.#keys());
    try {
      return await this.open(given, owner);
    } catch (error) {
      if (owner.credential.kind === 'none') throw error;
      // A key may be newer than the cache. Of simultaneous failures one drops the cache.
      if (this.#keyRoots === before) this.#keyRoots = this.#newKeyRoots();
      return this.open(given, ownerIn(user, await this.#keys()));
    }
  }

  /**
   * Opens the folder of a turn. The path without links is up to a second old, and the one that tools work in:
   * a link that was turned meanwhile leads nobody elsewhere.
   *
   * @throws TypedError WORKING_ROOT_* where the folder is missing, or no longer open.
   */
  async open(given: string, user: RootUser): Promise<OpenedRoot> {
    const { id, credential, projectRoots } = user;
    const key = JSON.stringify([given, id, credential.kind, projectRoots]);
    const { projectRoot, real, own } = await this.#opened.get(key, () => this.#open(given, user));
    const [others, quota] = await Promise.all([this.#othersOf(user), this.#quotaOf(own)]);
    const { ownPaths } = this.options;
    const shared = { real, ...compact({ quota }) };
    if (others === undefined) {
      const spellings = [...new Set([projectRoot, real])];
      return { ...shared, projectRoot, spellings, ownPaths, others };
    }
    const hidden = [...ownPaths.hidden, ...others];
    return {
      ...shared,
      projectRoot: real,
      spellings: [real],
      ownPaths: { ...ownPaths, hidden },
      others,
    };
  }

  async #open(given: string, user: RootUser): Promise<CheckedForTurn> {
    const checked = await this.#check(given, user);
    const own = await resolveLinks(this.ownOf(user.id));
    return { ...checked, own: isWithin(own, checked.real) ? own : undefined };
  }

  async #quotaOf(folder: string | undefined): Promise<ProjectQuota | undefined> {
    const { quotaMb, clock } = this.options;
    if (quotaMb === 0 || folder === undefined) return undefined;
    return this.#quotas.get(
      folder,
      async () => new ProjectQuota({ folder, maxMb: quotaMb, clock }),
    );
  }

  /** The folder in `TURNPIKE_PROJECTS_DIR` that is a principal's alone, whether or not it exists. */
  ownOf(principalId: string): string {
    return path.join(this.options.projectsDir, principalFolder(principalId));
  }

  async #check(given: string, user: RootUser): Promise<CheckedRoot> {
    const open = this.#openTo(user);
    // A principal may name its own folder before any session has worked in it.
    if (open !== undefined && path.isAbsolute(given) && isWithin(open.own, given)) {
      await mkdir(open.own, { recursive: true });
    }
    return checkProjectRoot(given, this.options, open);
  }

  /** @returns undefined where any folder is open. */
  #openTo({ id, credential, projectRoots }: RootUser): OpenRoots | undefined {
    const { projectsDir, sharedRoot, listed, isOpenWithoutKey } = this.options;
    if (credential.kind === 'none' && isOpenWithoutKey) return undefined;
    const shared = sharedRoot === undefined ? [] : [sharedRoot];
    return { own: this.ownOf(id), named: [...shared, ...listed, ...projectRoots], projectsDir };
  }

  /** The projects folder, and the folders that only keys or roles of others open. */
  async #othersOf(user: RootUser): Promise<string[] | undefined> {
    const open = this.#openTo(user);
    if (open === undefined) return undefined;
    const { roots } = await this.#keys();
    const opened = roots.flatMap(({ projectRoots }) => projectRoots);
    const foreign = [...opened, ...this.options.roleRoots].filter(
      (folder) => !open.named.some((named) => isWithin(named, folder)),
    );
    return withLinkTargets([open.projectsDir, ...foreign]);
  }

  #newKeyRoots(): TtlCache<OpenToKeys> {
    return new TtlCache(this.options.clock, ROOTS_FRESH_MS);
  }

  #keys(): Promise<OpenToKeys> {
    const { options } = this;
    return this.#keyRoots.get('all', async () => {
      const [isOpen, roots] = await Promise.all([options.isOpen(), options.loadKeyRoots()]);
      return { isOpen, roots };
    });
  }
}

/** The owner of a session, who may have several keys. */
function ownerIn({ id, roleRoots }: TurnOwner, { isOpen, roots }: OpenToKeys): RootUser {
  const own = roots.filter((key) => key.principalId === id);
  return {
    id,
    credential: { kind: isOpen && roleRoots === null ? 'none' : 'key' },
    projectRoots: [...(roleRoots ?? []), ...own.flatMap((key) => key.projectRoots)],
  };
}

/** Folder of the principal that needs no key. */
const DEFAULT_FOLDER = 'default';
/** Longest name of a folder, of the 255 bytes that disks take. */
const MAX_FOLDER_BYTES = 200;

/**
 * Names a principal's folder in the projects folder. No two principals share a name, also on disks that
 * ignore case: anything but a small letter, a digit, `-`, `_`, `.` or `@` is `%` and
 * its bytes in hexadecimal. A longer name than a disk takes ends with a digest. Pure.
 */
export function principalFolder(principalId: string): string {
  if (principalId === LOCAL_USER) return DEFAULT_FOLDER;
  // No name is the default folder's, a hidden folder's, or a way up.
  const [first = '', ...rest] = principalId;
  const isTaken = principalId === DEFAULT_FOLDER || first === '.';
  const name = (isTaken ? encode(first) : keep(first)) + rest.map(keep).join('');
  if (name.length <= MAX_FOLDER_BYTES) return name;
  // No other name has a `~`.
  return `${name.slice(0, 100)}~${hash('sha256', principalId, 'hex')}`;
}

function keep(letter: string): string {
  return /^[a-z0-9_.@-]$/.test(letter) ? letter : encode(letter);
}

function encode(letter: string): string {
  const bytes = [...Buffer.from(letter, 'utf8')];
  return bytes.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

/** A turn's folder as the library of skills takes it. */
export function projectOf(
  { real, spellings, ownPaths }: OpenedRoot,
  { projectFiles: files }: { projectFiles?: string | null } = {},
): SkillProject {
  const hidden = hiddenFrom(ownPaths, spellings);
  return { root: real, hidden, ...(files ? { files } : {}) };
}
