import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadPermissions } from './permission-mode.js';

const tools = [
  { name: 'read', permissionArgument: { name: 'file_path', kind: 'path' } },
  { name: 'bash', permissionArgument: { name: 'command', kind: 'command' } },
] as const;

describe('loadPermissions', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'policy-'));
    file = path.join(folder, 'policy.yaml');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function load(...lines: string[]) {
    await writeFile(file, lines.join('\n'));
    return loadPermissions(file, tools);
  }

  it('has no rules without a file, and from an empty one', async () => {
    expect(await loadPermissions(undefined, tools)).toEqual({});
    expect(await load('# nothing yet')).toEqual({});
  });

  it('reads YAML and JSON', async () => {
    const rules = { allow: ['bash(git status*)', 'read'], deny: ['read(**/.env)'] };
    const yaml = ['allow: [bash(git status*), read]', 'deny:', '  - read(**/.env)'];
    expect(await load(...yaml)).toEqual(rules);
    expect(await load(JSON.stringify(rules))).toEqual(rules);
  });

  it('names every fault by its line, and what to do', async () => {
    const lines = ['allow:', '  - read', '  - sing', 'denied: [bash]', 'deny: bash'];
    await expect(load(...lines)).rejects.toMatchObject({
      name: 'FileInvalidError',
      message: [
        'TURNPIKE_PERMISSIONS_FILE is not valid:',
        `  - ${file}:3: allow.1 names the tool "sing", which does not exist; there is read, bash`,
        `  - ${file}:4: denied is not a field; use allow, ask, deny`,
        `  - ${file}:5: deny must be a list of rules, for example ["read"], not "bash"`,
        'Correct the file, and start again.',
      ].join('\n'),
    });
  });

  it.each([
    ['no YAML', ['allow: [read', 'x: 1'], /policy\.yaml:2: the file cannot be parsed: /],
    ['a list', ['- read'], /policy\.yaml:1: the file must be a map of allow, ask and deny/],
    ['an alias without an anchor', ['allow: *any'], /policy\.yaml:1: /],
  ])('refuses %s', async (_name, lines, message) => {
    await expect(load(...lines)).rejects.toThrow(message);
  });

  it('says that the file cannot be read', async () => {
    await expect(loadPermissions(path.join(folder, 'none.yaml'), tools)).rejects.toThrow(
      /none\.yaml: the file cannot be read \(ENOENT\); check its path and permissions/,
    );
  });
});
