import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { KeyRoots } from '../access/keys/key-store.js';
import type { Principal } from '../access/ownership/principal.js';
import type { OwnPaths } from '../governance/permissions/own-paths.js';
import type { Clock } from '../platform/clock.js';
import { isWithin } from '../platform/is-within.js';
import { TtlCache } from '../platform/ttl-cache.js';
import { withLinkTargets } from '../tools/calls/resolve-links.js';
import { checkProjectRoot, type OpenRoots } from './check-project-root.js';
import { principalFolder } from './principal-folder.js';

/** How long what keys say of folders may be old where no request brings its key, in ms. */
const ROOTS_FRESH_MS = 1_000;

export interface ProjectRootsOptions {
  instructionRoot: string;
  ownPaths: OwnPaths;
  /** Holds a folder of each principal, made when it is needed. */
  projectsDir: string;
  /** Of conversations that name no folder, whoever has them; undefined: the principal's own. */
  sharedRoot: string | undefined;
  /** Folders that are open to every principal. */
  listed: readonly string[];
  /** Whether who needs no key may name any folder: nobody but this machine reaches the server. */
  isOpenWithoutKey: boolean;
  clock: Clock;
  /** Loads the folders that the valid keys open. */
  loadKeyRoots(): Promise<KeyRoots>;
}

/** Who is asked about: the sender of a request with its key, or the owner of a session. */
export type RootUser = Pick<Principal, 'id' | 'keyId' | 'projectRoots'>;

/** Of an owner, who may have several and is asked for no one of them. */
const ANY_KEY = 'any';

/** The folder of a turn, and what its tools see nothing of. */
export interface OpenedRoot {
  /** Without links where others have folders too: what is checked is what is opened. */
  projectRoot: string;
  ownPaths: OwnPaths;
  /** Folders of other principals; undefined: there are no others. */
  others: readonly string[] | undefined;
}

/** Where sessions work: the projects folder, what the operator has named, and for whom. */
export class ProjectRoots {
  #keyRoots: TtlCache<KeyRoots>;

  constructor(private readonly options: ProjectRootsOptions) {
    this.#keyRoots = this.#newKeyRoots();
  }

  /** @returns the normalised path. @throws TypedError INVALID_REQUEST 400, WORKING_ROOT_*. */
  async check(given: string, user: RootUser): Promise<string> {
    return (await this.#check(given, user)).projectRoot;
  }

  /** The folder of conversations that name none, made when it is not there. */
  async defaultOf(user: RootUser): Promise<string> {
    const { sharedRoot } = this.options;
    if (sharedRoot !== undefined) return sharedRoot;
    const own = this.#ownOf(user.id);
    await mkdir(own, { recursive: true });
    return own;
  }

  /**
   * The folder of a session's turn for its owner, as the owner's keys are now: what any of them opens is
   * open to it.
   *
   * @throws TypedError WORKING_ROOT_*.
   */
  async openForOwner(given: string, principalId: string): Promise<OpenedRoot> {
    const before = this.#keyRoots;
    const owner = ownerIn(principalId, await this.#keys());
    try {
      return await this.open(given, owner);
    } catch (error) {
      if (owner.keyId === null) throw error;
      // A key may be newer than what is remembered. Of many that fail at once, one forgets.
      if (this.#keyRoots === before) this.#keyRoots = this.#newKeyRoots();
      return this.open(given, ownerIn(principalId, await this.#keys()));
    }
  }

  /** @throws TypedError WORKING_ROOT_* where it is not there, or not open any longer. */
  async open(given: string, user: RootUser): Promise<OpenedRoot> {
    const { projectRoot, real } = await this.#check(given, user);
    const others = await this.#othersOf(user);
    const { ownPaths } = this.options;
    if (others === undefined) return { projectRoot, ownPaths, others };
    const hidden = [...ownPaths.hidden, ...others];
    return { projectRoot: real, ownPaths: { ...ownPaths, hidden }, others };
  }

  async #check(given: string, user: RootUser): Promise<{ projectRoot: string; real: string }> {
    const open = this.#openTo(user);
    // Who was told of the folder may name it before anything has worked in it.
    if (open !== undefined && path.isAbsolute(given) && isWithin(open.own, given)) {
      await mkdir(open.own, { recursive: true });
    }
    return checkProjectRoot(given, this.options, open);
  }

  /** @returns undefined where any folder is. */
  #openTo({ id, keyId, projectRoots }: RootUser): OpenRoots | undefined {
    const { projectsDir, sharedRoot, listed, isOpenWithoutKey } = this.options;
    if (keyId === null && isOpenWithoutKey) return undefined;
    const shared = sharedRoot === undefined ? [] : [sharedRoot];
    return { own: this.#ownOf(id), named: [...shared, ...listed, ...projectRoots], projectsDir };
  }

  /** The projects folder, and what keys of others open and none of this one's does. */
  async #othersOf(user: RootUser): Promise<string[] | undefined> {
    const open = this.#openTo(user);
    if (open === undefined) return undefined;
    const { roots } = await this.#keys();
    const foreign = roots
      .flatMap(({ projectRoots }) => projectRoots)
      .filter((folder) => !open.named.some((named) => isWithin(named, folder)));
    return withLinkTargets([open.projectsDir, ...foreign]);
  }

  #ownOf(principalId: string): string {
    return path.join(this.options.projectsDir, principalFolder(principalId));
  }

  #newKeyRoots(): TtlCache<KeyRoots> {
    return new TtlCache(this.options.clock, ROOTS_FRESH_MS);
  }

  #keys(): Promise<KeyRoots> {
    return this.#keyRoots.get('all', () => this.options.loadKeyRoots());
  }
}

function ownerIn(principalId: string, { isKeyed, roots }: KeyRoots): RootUser {
  const own = roots.filter((key) => key.principalId === principalId);
  return {
    id: principalId,
    keyId: isKeyed ? ANY_KEY : null,
    projectRoots: own.flatMap(({ projectRoots }) => projectRoots),
  };
}
