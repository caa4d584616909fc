import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { builtinTools } from '../builtin/builtin-tools.js';
import { shellsOff } from '../shells.js';
import { findArgument } from './call-paths.js';
import { newFolder } from '../../../test/support/suite.js';

const file = { permissionArgument: { name: 'file_path', kind: 'path' } } as const;
const shell = { permissionArgument: { name: 'command', kind: 'command' } } as const;

describe('findArgument', () => {
  let root: string;
  const folder = newFolder();
  beforeAll(async () => {
    root = path.join(folder, 'project');
    await mkdir(path.join(root, 'docs'), { recursive: true });
    await writeFile(path.join(root, 'docs', 'a.md'), 'a');
    await symlink('docs', path.join(root, 'link'));
    await symlink(folder, path.join(root, 'out'));
    await symlink(path.join(folder, 'nothing'), path.join(root, 'dangling'));
    await symlink('loop', path.join(root, 'loop'));
    await symlink(root, path.join(folder, 'alias'));
  });

  it.each([
    ['a file', 'docs/a.md', ['docs/a.md']],
    ['a file that is not there', 'docs/new/b.md', ['docs/new/b.md']],
    ['a path that is not normal', './docs/../docs//a.md', ['docs/a.md']],
    ['a file behind a link', 'link/a.md', ['link/a.md', 'docs/a.md']],
    ['a new file behind a link', 'link/new.md', ['link/new.md', 'docs/new.md']],
    ['a link that leads out', 'out/x', ['out/x', '../x']],
    ['a link that leads nowhere', 'dangling', ['dangling', '../nothing']],
    ['a path that leads out', '../x', ['../x']],
    ['nothing', '', ['.']],
  ])('is, of %s, its path as written and the real one', async (_name, given, paths) => {
    expect(await findArgument(file, { file_path: given }, root)).toEqual({
      kind: 'path',
      texts: paths.map((one) => path.resolve(root, one)),
      roots: [root],
    });
  });

  it('takes a path that is not given for the folder', async () => {
    expect(await findArgument(file, {}, root)).toMatchObject({ texts: [root] });
  });

  it('knows a project by its link and by its real path', async () => {
    const alias = path.join(folder, 'alias');
    const found = await findArgument(file, { file_path: 'docs/a.md' }, alias);
    expect(found).toEqual({
      kind: 'path',
      texts: [path.join(alias, 'docs/a.md'), path.join(root, 'docs/a.md')],
      roots: [alias, root],
    });
  });

  it('is not known of a link that turns in a circle', async () => {
    expect(await findArgument(file, { file_path: 'loop/x' }, root)).toBeUndefined();
  });

  it('is not known of a path that is too long to be one', async () => {
    for (const long of ['a'.repeat(256), 'a/'.repeat(2_100)]) {
      expect(await findArgument(file, { file_path: long }, root)).toBeUndefined();
    }
  });

  it('is not known of a path with NUL, unless .. takes it away as it does for the tool', async () => {
    expect(await findArgument(file, { file_path: 'a\0b' }, root)).toBeUndefined();
    const cut = await findArgument(file, { file_path: 'x\0/../docs/a.md' }, root);
    expect(cut).toEqual(await findArgument(file, { file_path: 'docs/a.md' }, root));
  });

  it.each([[5], [['a']]])('has no text where the path is %j', async (given) => {
    expect(await findArgument(file, { file_path: given }, root)).toEqual({
      kind: 'path',
      texts: [],
    });
  });

  it('is a command as it is', async () => {
    const input = { command: ' ls  ~ ' };
    expect(await findArgument(shell, input, root)).toEqual({ kind: 'command', texts: [' ls  ~ '] });
    for (const other of [{}, { command: 5 }, null, 'ls']) {
      expect(await findArgument(shell, other, root)).toEqual({ kind: 'command', texts: [] });
    }
  });

  it('is undefined for a tool that declares none', async () => {
    expect(await findArgument({}, { command: 'ls' }, root)).toBeUndefined();
  });
});

describe('permissionArgument', () => {
  const tools = builtinTools(shellsOff('not here'));

  it('are what the tools of every server declare, each an argument of its own', () => {
    const kinds = tools.flatMap(({ name, permissionArgument: declared }) =>
      declared === undefined ? [] : [[name, declared.kind]],
    );
    expect(Object.fromEntries(kinds)).toEqual({
      task: 'text',
      load_skill: 'text',
      read: 'path',
      read_skill_file: 'text',
      write: 'path',
      edit: 'path',
      glob: 'path',
      grep: 'path',
      bash: 'command',
      mcp_resources: 'text',
      memory: 'text',
    });
    for (const { permissionArgument: declared, inputSchema } of tools) {
      if (declared === undefined) continue;
      expect(inputSchema['properties']).toHaveProperty(declared.name);
    }
  });
});
