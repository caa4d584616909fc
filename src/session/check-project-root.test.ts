import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { resolveOwnPaths } from '../tools/resolve-own-paths.js';
import { checkProjectRoot } from './check-project-root.js';
import { newFolder } from '../../test/support/suite.js';

describe('checkProjectRoot', () => {
  const at = (...parts: string[]): string => path.join(folder, ...parts);
  const folder = newFolder();
  beforeAll(async () => {
    await mkdir(at('instructions', 'agents'), { recursive: true });
    await mkdir(at('instructions-of-mine'));
    await mkdir(at('project'));
    await writeFile(at('file'), '');
    await mkdir(at('data', 'blobs'), { recursive: true });
    await symlink('project', at('to-project'));
    await symlink('instructions', at('to-instructions'));
    await symlink('data/blobs', at('to-data'));
    await symlink('/proc', at('to-proc'));
    await symlink('/', at('to-all'));
  });

  const forbidden = async () => ({
    instructionRoot: at('instructions'),
    ownPaths: await resolveOwnPaths({
      data: [at('data')],
      hidden: [at('home', '.ssh')],
      protected: [at('instructions'), at('rules.yaml')],
    }),
  });
  const check = async (given: string) =>
    (await checkProjectRoot(given, await forbidden())).projectRoot;

  it.each([
    ['project', 'project'],
    ['project/', 'project'],
    ['project/../project/.', 'project'],
    ['instructions-of-mine', 'instructions-of-mine'],
    ['to-project', 'to-project'],
  ])('takes %s, normalised', async (given, normalised) => {
    expect(await check(`${folder}/${given}`)).toBe(at(normalised));
  });

  it('takes the parent of the instruction root', async () => {
    expect(await check(folder)).toBe(folder);
  });

  it.each([
    ['a relative path', () => 'project', 400, 'INVALID_REQUEST'],
    ['a NUL byte', () => `${folder}/pro\0ject`, 400, 'INVALID_REQUEST'],
    ['the instruction root', () => at('instructions'), 409, 'WORKING_ROOT_CONFLICT'],
    ['a folder in it', () => at('instructions', 'agents'), 409, 'WORKING_ROOT_CONFLICT'],
    ['a missing folder in it', () => at('instructions', 'none'), 409, 'WORKING_ROOT_CONFLICT'],
    ['a way around to it', () => `${folder}/project/../instructions`, 409, 'WORKING_ROOT_CONFLICT'],
    ['a link to it', () => at('to-instructions'), 409, 'WORKING_ROOT_CONFLICT'],
    ['a folder behind a link', () => at('to-instructions', 'agents'), 409, 'WORKING_ROOT_CONFLICT'],
    ['the whole machine', () => '/', 409, 'WORKING_ROOT_CONFLICT'],
    ['a link to it', () => at('to-all'), 409, 'WORKING_ROOT_CONFLICT'],
    ["the kernel's folders", () => '/proc', 409, 'WORKING_ROOT_CONFLICT'],
    ['one of them by a link', () => at('to-proc', 'self'), 409, 'WORKING_ROOT_CONFLICT'],
    ['/sys', () => '/sys/kernel', 409, 'WORKING_ROOT_CONFLICT'],
    ['/dev', () => '/dev/shm', 409, 'WORKING_ROOT_CONFLICT'],
    ['the data folder', () => at('data'), 409, 'WORKING_ROOT_CONFLICT'],
    ['a folder in it, by a link', () => at('to-data'), 409, 'WORKING_ROOT_CONFLICT'],
    ['a missing folder', () => at('none'), 404, 'WORKING_ROOT_INACCESSIBLE'],
    ['a file', () => at('file'), 404, 'WORKING_ROOT_INACCESSIBLE'],
  ])('refuses %s', async (_what, given, status, type) => {
    await expect(check(given())).rejects.toMatchObject({ status, type });
  });

  it.each([
    [
      () => '/',
      "is or leads to /, /proc, /sys, /dev or the server's own data. Choose a folder of files.",
    ],
    [
      () => at('to-data'),
      "is or leads to /, /proc, /sys, /dev or the server's own data. Choose a folder of files.",
    ],
    [
      () => at('instructions', 'agents'),
      `is the instruction root or lies inside it. Choose a folder outside ${at('instructions')}.`,
    ],
  ])('says what is wrong with a folder, and which one to choose: %#', async (given, reason) => {
    await expect(check(given())).rejects.toMatchObject({
      message: `The project root ${given()} ${reason}`,
      details: { projectRoot: given(), instructionRoot: at('instructions') },
    });
  });

  describe('where folders are named', () => {
    beforeAll(async () => {
      for (const name of ['projects/ann/deep', 'projects/bob', 'home/.ssh', 'home/work', 'other']) {
        await mkdir(at(name), { recursive: true });
      }
      await symlink('../bob', at('projects/ann/to-bob'));
      await symlink('../../home/work', at('projects/ann/to-work'));
      await symlink('projects', at('to-projects'));
      await symlink('home', at('to-home'));
    });
    const ask = async (given: string, named = [at('to-home')]) => {
      const open = { own: at('to-projects/ann'), projectsDir: at('to-projects'), named };
      return checkProjectRoot(at(given), await forbidden(), open);
    };

    it.each([
      ['projects/ann', 'projects/ann'],
      ['to-projects/ann/deep', 'projects/ann/deep'],
      ['projects/ann/to-work', 'home/work'],
      ['home', 'home'],
      ['home/work', 'home/work'],
    ])('takes %s', async (given, real) => {
      expect(await ask(given)).toEqual({ projectRoot: at(given), real: at(real) });
    });

    it.each([
      'projects/bob',
      'projects/none',
      'projects',
      'projects/ann/to-bob',
      'projects/ann/../bob',
      'other',
      'other/none',
      'home/.ssh',
      'home/.ssh/none',
    ])('refuses %s alike, whether or not it is there', async (given) => {
      await expect(ask(given)).rejects.toMatchObject({
        status: 409,
        type: 'WORKING_ROOT_CONFLICT',
        message: expect.stringContaining('is not open to this key'),
        details: { openRoots: [at('to-projects/ann'), at('to-home')] },
      });
    });

    it.each(['projects/bob', 'projects'])('refuses %s also where all is named', async (given) => {
      const refused = ask(given, [folder, at('projects/bob')]);
      await expect(refused).rejects.toMatchObject({ type: 'WORKING_ROOT_CONFLICT' });
    });

    it('says what is missing inside of them', async () => {
      await expect(ask('projects/ann/none')).rejects.toMatchObject({
        status: 404,
        type: 'WORKING_ROOT_INACCESSIBLE',
      });
    });

    it('takes a folder among secrets that is named itself', async () => {
      expect((await ask('home/.ssh', [at('home/.ssh')])).real).toBe(at('home/.ssh'));
    });
  });
});
