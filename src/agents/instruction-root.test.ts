import { beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { assertInstructionRoot, parseAgentsDefaults } from './instruction-root.js';
import { newFolder } from '../../test/support/suite.js';

const files = ['AGENTS.md', 'README.md'].concat(
  ['DIRECTIVE', 'CONTRACT', 'SPEC', 'TYPES', 'PLAN'].map((name) => `docs/${name}.md`),
);

let root: string;
beforeEach(async () => {
  root = newFolder();
  await mkdir(join(root, 'agents'));
  await mkdir(join(root, 'docs'));
  await Promise.all(files.map((file) => writeFile(join(root, file), '')));
});

const invalid = (instructionRoot: string, missingEntries: string[], invalidEntries: string[]) => ({
  type: 'INSTRUCTION_ROOT_INVALID',
  status: 500,
  details: { instructionRoot, missingEntries, invalidEntries },
});

describe('assertInstructionRoot', () => {
  it('accepts a complete root', async () => {
    await expect(assertInstructionRoot(root)).resolves.toBeUndefined();
  });

  it('accepts the root that is shipped', async () => {
    await expect(assertInstructionRoot('instructions')).resolves.toBeUndefined();
  });

  it.each(files)('misses %s', async (file) => {
    await rm(join(root, file));
    await expect(assertInstructionRoot(root)).rejects.toMatchObject(invalid(root, [file], []));
  });

  it('names everything under a folder that is missing', async () => {
    await rm(join(root, 'docs'), { recursive: true });
    await expect(assertInstructionRoot(root)).rejects.toMatchObject(
      invalid(root, ['docs', ...files.slice(2)], []),
    );
  });

  it('tells a wrong kind from a missing entry', async () => {
    await rm(join(root, 'agents'), { recursive: true });
    await writeFile(join(root, 'agents'), '');
    await rm(join(root, 'README.md'));
    await mkdir(join(root, 'README.md'));
    await rm(join(root, 'docs/PLAN.md'));
    const rejected = expect(assertInstructionRoot(root, 'agents/AGENT_A.md')).rejects;
    await rejected.toMatchObject({
      ...invalid(root, ['docs/PLAN.md'], ['agents', 'README.md']),
      message: expect.stringContaining(
        'docs/PLAN.md is missing, agents is of the wrong kind, README.md is of the wrong kind',
      ),
    });
  });

  it('misses everything where there is no root', async () => {
    const nowhere = join(root, 'nowhere');
    await expect(assertInstructionRoot(nowhere)).rejects.toMatchObject(
      invalid(nowhere, ['agents', 'docs', ...files], []),
    );
  });
});

describe('parseAgentsDefaults', () => {
  const blank = 'model must be text that is not blank, not ';
  it.each([
    ['# No front matter', { problems: [] }],
    ['---\nmodel: " claude-x "\n---\n', { model: 'claude-x', problems: [] }],
    ['---\nmodel:\n---\n', { problems: [] }],
    ['---\nmodel: ""\n---\n', { problems: [{ line: 2, message: `${blank}""` }] }],
    ['---\nmodel: 3\n---\n', { problems: [{ line: 2, message: `${blank}3` }] }],
    [
      '---\n- a\n---\n',
      { problems: [{ line: 2, message: expect.stringContaining('"key: value"') }] },
    ],
  ])('%j', (file, expected) => {
    expect(parseAgentsDefaults({ text: file })).toEqual(expected);
  });
});
