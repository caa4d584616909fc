import { mkdir, rm, stat, symlink } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { useDatabase } from '../../test/support/database/database.js';
import { makeKey } from '../../test/support/clients/keyed-client.js';
import { ManualClock } from '../../test/support/manual-clock.js';
import { KeyStore } from '../access/keys/key-store.js';
import { apiKeys } from '../storage/governance-schema.js';
import { ProjectRoots, type ProjectRootsOptions, type RootUser } from './project-roots.js';
import { noFiles } from '../../test/support/access/open-project-roots.js';
import { newFolder } from '../../test/support/suite.js';

describe('ProjectRoots', () => {
  const database = useDatabase();

  let folder: string;
  let clock: ManualClock;
  const at = (...parts: string[]): string => path.join(folder, ...parts);
  beforeEach(async () => {
    await database.db.delete(apiKeys);
    clock = new ManualClock();
    folder = newFolder();
    for (const name of ['shared', 'ann', 'bob']) await mkdir(at(name));
  });

  function open(options: Partial<ProjectRootsOptions> = {}): ProjectRoots {
    const keys = new KeyStore(database.db, clock);
    return new ProjectRoots({
      files: noFiles,
      quotaMb: 1,
      instructionRoot: at('instructions'),
      ownPaths: { closed: [], hidden: [at('secrets')], protected: [] },
      projectsDir: at('projects'),
      sharedRoot: undefined,
      listed: [at('shared')],
      isOpenWithoutKey: true,
      roleRoots: [],
      clock,
      isOpen: async () => !(await keys.census()).isKeyed,
      loadKeyRoots: () => keys.roots(),
      ...options,
    });
  }
  const key = (principal: string, projectRoots: string[] = []) =>
    makeKey({ db: database.db, clock }, { principal, projectRoots });
  const local: RootUser = { id: 'local', credential: { kind: 'none' }, projectRoots: [] };
  const ann: RootUser = { id: 'ann', credential: { kind: 'key' }, projectRoots: [] };
  const closed = { type: 'WORKING_ROOT_CONFLICT', status: 409 };

  it('gives each principal a folder of its own, made when it is needed', async () => {
    const roots = open();
    expect(await roots.defaultOf(local)).toBe(at('projects', 'default'));
    expect(await roots.defaultOf(ann)).toBe(at('projects', 'ann'));
    expect(await roots.defaultOf({ ...ann, id: 'Ann' })).toBe(at('projects', '%41nn'));
    expect((await stat(at('projects', 'ann'))).isDirectory()).toBe(true);
    const person = { ...ann, id: 'idp:auth0|ann' };
    expect(await roots.defaultOf(person)).toBe(at('projects', 'idp%3aauth0%7cann'));
    const [one, two] = ['1', '2'].map((end) => ({ ...ann, id: `idp:${'ä'.repeat(190)}${end}` }));
    const folders = [one, two].map((user) => roots.defaultOf(user ?? ann));
    const [first = '', second] = await Promise.all(folders);
    expect(path.basename(first)).toMatch(/^idp%3a(%c3%a4)+.*~[0-9a-f]{64}$/);
    expect(first).not.toBe(second);
    await expect(stat(at('projects', 'bob'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('gives all of them the shared one where there is one, which is open then', async () => {
    const roots = open({ sharedRoot: at('bob'), listed: [] });
    expect(await roots.defaultOf(ann)).toBe(at('bob'));
    expect(await roots.check(at('bob'), ann)).toBe(at('bob'));
  });

  it('makes its own folder also for who names it first', async () => {
    expect(await open().check(at('projects', 'ann'), ann)).toBe(at('projects', 'ann'));
  });

  it('lets who needs no key work anywhere on a server of its machine, and else as others', async () => {
    expect(await open().check(at('bob'), local)).toBe(at('bob'));
    const reached = open({ isOpenWithoutKey: false });
    await expect(reached.check(at('bob'), local)).rejects.toMatchObject(closed);
    expect(await reached.check(at('shared'), local)).toBe(at('shared'));
  });

  it('opens to a key what is listed and what is its own, and to an owner what any of its keys', async () => {
    await key('ann', [at('ann')]);
    await key('ann');
    const roots = open();
    expect(await roots.check(at('shared'), ann)).toBe(at('shared'));
    await expect(roots.check(at('ann'), ann)).rejects.toMatchObject(closed);
    const withRoots = { ...ann, projectRoots: [at('ann')] };
    expect(await roots.check(at('ann'), withRoots)).toBe(at('ann'));
    expect(await roots.openForOwner(at('ann'), { id: 'ann', roleRoots: null })).toMatchObject({
      projectRoot: at('ann'),
    });
    await expect(
      roots.openForOwner(at('ann'), { id: 'bob', roleRoots: null }),
    ).rejects.toMatchObject(closed);
  });

  it('opens to a sender with a role what the role opens, where this process knows of no key and no issuer', async () => {
    const roots = open();
    const person = { id: 'idp:ann', roleRoots: [at('ann')] };
    expect(await roots.openForOwner(at('ann'), person)).toMatchObject({ projectRoot: at('ann') });
    await expect(roots.openForOwner(at('bob'), person)).rejects.toMatchObject(closed);
    const noRoots = { id: 'idp:bob', roleRoots: [] };
    await expect(roots.openForOwner(at('bob'), noRoots)).rejects.toMatchObject(closed);
    expect(await roots.openForOwner(at('bob'), { id: 'local', roleRoots: null })).toMatchObject({
      projectRoot: at('bob'),
    });
  });

  it('knows within a second of a key that is gone', async () => {
    const { id } = await key('ann', [at('ann')]);
    await key('bob');
    const roots = open();
    await roots.openForOwner(at('ann'), { id: 'ann', roleRoots: null });
    await new KeyStore(database.db, clock).revoke(id);
    await clock.advance(1_000);
    await expect(
      roots.openForOwner(at('ann'), { id: 'ann', roleRoots: null }),
    ).rejects.toMatchObject(closed);
  });

  it('knows at once of a key that opens a folder', async () => {
    await key('bob');
    const roots = open();
    await expect(
      roots.openForOwner(at('ann'), { id: 'ann', roleRoots: null }),
    ).rejects.toMatchObject(closed);
    await key('ann', [at('ann')]);
    expect(await roots.openForOwner(at('ann'), { id: 'ann', roleRoots: null })).toMatchObject({
      projectRoot: at('ann'),
    });
  });

  it('hides the folders of others, and gives the root without links', async () => {
    await key('ann', [at('ann')]);
    await key('bob', [at('bob'), at('shared', 'bob')]);
    const roots = open();
    await roots.defaultOf(ann);
    await symlink('../../ann', at('projects', 'ann', 'link'));
    const opened = await roots.openForOwner(at('projects', 'ann', 'link'), {
      id: 'ann',
      roleRoots: null,
    });
    // A folder that is open to all has no owner.
    const others = [at('projects'), at('bob')];
    expect(opened).toEqual({
      projectRoot: at('ann'),
      real: at('ann'),
      spellings: [at('ann')],
      ownPaths: { closed: [], hidden: [at('secrets'), ...others], protected: [] },
      others,
    });
  });

  it('gives the quota of the own folder, and none of others', async () => {
    const roots = open();
    const own = await roots.defaultOf(ann);
    await mkdir(path.join(own, 'deep'));
    const { quota } = await roots.open(path.join(own, 'deep'), ann);
    expect(quota).toBeDefined();
    expect((await roots.open(own, ann)).quota).toBe(quota);
    expect((await roots.open(at('shared'), ann)).quota).toBeUndefined();
    expect((await open({ quotaMb: 0 }).open(own, ann)).quota).toBeUndefined();
  });

  it('opens a folder that was made a moment after it was refused, under the same quota', async () => {
    const roots = open();
    const own = await roots.defaultOf(ann);
    const later = path.join(own, 'later');
    const { quota } = await roots.open(own, ann);
    const missing = { type: 'WORKING_ROOT_INACCESSIBLE', status: 404 };
    await expect(roots.open(later, ann)).rejects.toMatchObject(missing);
    await mkdir(later);
    const opened = await roots.open(later, ann);
    expect(opened).toMatchObject({ real: later });
    expect(opened.quota).toBe(quota);
    expect(quota).toBeDefined();
    // What is written in the new folder counts at once.
    await opened.quota?.reserve('write', 1_000_000);
    await expect(quota?.reserve('write', 100_000)).rejects.toThrow('PROJECT_FULL');
    // By whichever name it comes to it.
    await symlink(later, at('shared', 'link'));
    expect((await roots.open(at('shared', 'link'), ann)).quota).toBe(quota);
  });

  it('leads nobody from a folder without a quota to one with it, or back, by a link that is turned', async () => {
    const roots = open();
    const own = await roots.defaultOf(ann);
    const link = path.join(own, 'link');
    await symlink(at('shared'), link);
    const before = await roots.open(link, ann);
    expect(before).toMatchObject({ projectRoot: at('shared') });
    expect(before.quota).toBeUndefined();
    await rm(link);
    await mkdir(link);
    // Tools work in the folder that was checked, until it is checked again.
    expect(await roots.open(link, ann)).toEqual(before);
    await clock.advance(1_000);
    const after = await roots.open(link, ann);
    expect(after).toMatchObject({ projectRoot: link });
    expect(after.quota).toBeDefined();
  });

  it('hides nothing where there is one user, whose root stays as it is written', async () => {
    await symlink('bob', at('link'));
    expect(await open().open(at('link'), local)).toEqual({
      projectRoot: at('link'),
      real: at('bob'),
      spellings: [at('link'), at('bob')],
      ownPaths: { closed: [], hidden: [at('secrets')], protected: [] },
      others: undefined,
    });
  });
});
