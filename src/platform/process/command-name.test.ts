import { cp, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { packageRoot } from './package-root.js';
import { newFolder } from '../../../test/support/suite.js';
import { commandName, commandNameOfServer } from './command-name.js';

const built = (root: string): string => path.join(root, 'dist', 'cli.js');

describe('the name in commands to type', () => {
  it('is that of the clone’s program, from the folder where the user is', () => {
    expect(commandName(built(packageRoot), packageRoot)).toBe('./turnpike');
    expect(commandName(built(packageRoot), path.join(packageRoot, 'docs'))).toContain(
      path.join(packageRoot, 'turnpike'),
    );
  });

  it('is a word of the shell, also where the folder has a blank', async () => {
    const root = path.join(newFolder(), "new user's clone");
    await mkdir(root);
    await cp(path.join(packageRoot, 'turnpike'), path.join(root, 'turnpike'));
    const quoted = String.raw`'${path.dirname(root)}/new user'\''s clone/turnpike'`;
    expect(commandName(built(root), '/srv', root)).toBe(quoted);
  });

  it('is turnpike where npm installed it', () => {
    expect(commandName('/srv/node_modules/.bin/turnpike', '/srv')).toBe('turnpike');
    expect(commandName(built('/srv'), '/srv', '/srv')).toBe('turnpike');
    expect(commandNameOfServer('/srv/node_modules/.bin/turnpike')).toBe('turnpike');
  });

  it('tells readers of a server nothing of its folders', () => {
    expect(commandNameOfServer(built(packageRoot))).toBe('./turnpike');
    expect(commandNameOfServer(path.join(packageRoot, 'dist', 'main.js'))).toBe('./turnpike');
  });
});
