import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { stringify } from 'yaml';
import { ruleFault } from '../governance/permissions/permission-rules.js';
import { parseSkillFile, isSkillName } from './skill-file.js';

const fileOf = (...lines: string[]): string => ['---', ...lines, '---', 'Do it.'].join('\n');
const faultsOf = (...lines: string[]): string[] =>
  parseSkillFile(fileOf(...lines)).faults.map(({ line, message }) => `${line}: ${message}`);

describe('parseSkillFile', () => {
  it('takes all fields of the specification', () => {
    const { skill, faults } = parseSkillFile(
      fileOf(
        'name: pdf-forms',
        'description: >',
        '  Fills forms.',
        '  Use it for PDF files.',
        'license: MIT',
        'compatibility: Needs pdftk',
        'metadata: {author: example, version: 1.0}',
        'allowed-tools: Bash(git:*) Bash(pdftk fill *) Read mcp__docs__*',
      ),
    );
    expect(faults).toEqual([]);
    expect(skill).toEqual({
      name: 'pdf-forms',
      description: 'Fills forms. Use it for PDF files.',
      license: 'MIT',
      compatibility: 'Needs pdftk',
      metadata: { author: 'example', version: '1' },
      allowedTools: ['bash(git *)', 'bash(pdftk fill *)', 'read', 'mcp__docs__*'],
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      body: 'Do it.',
    });
  });

  it('takes tools as a list, and fields of other products', () => {
    const { skill } = parseSkillFile(
      fileOf('name: a', 'description: A.', 'allowed-tools: [Read, "Bash(git:*)"]', 'color: red'),
    );
    expect(skill?.allowedTools).toEqual(['read', 'bash(git *)']);
    expect(skill).not.toHaveProperty('license');
  });

  it.each([
    ['PDF', 'description: A.', '2: name must be 1 to 64'],
    ['-a', 'description: A.', '2: name must be 1 to 64'],
    ['a--b', 'description: A.', '2: name must be 1 to 64'],
    ['a'.repeat(65), 'description: A.', '2: name must be 1 to 64'],
    ['../a', 'description: A.', '2: name must be 1 to 64'],
    ['a', 'description: ""', '3: description must be text that is not blank'],
    ['a', `description: ${'x'.repeat(1_025)}`, '3: description must have 1024 characters at most'],
    ['a', 'license: MIT', '1: description is required'],
  ])('names the line of what is wrong: %s, %s', (name, line, fault) => {
    expect(faultsOf(`name: ${name}`, line)).toEqual([expect.stringContaining(fault)]);
  });

  it('is no skill where its limit of tools cannot be read', () => {
    expect(faultsOf('name: a', 'description: A.', 'allowed-tools: "read bash("')).toEqual([
      expect.stringMatching(/^4: allowed-tools\.1 must be a tool, or a tool and a pattern/),
    ]);
    expect(faultsOf('name: a', 'description: A.', 'allowed-tools: {read: yes}')).toEqual([
      expect.stringMatching(/^4: allowed-tools must be rules separated by blanks/),
    ]);
  });

  it('is no skill without instructions, without front matter, or with half of it', () => {
    const faultOf = (file: string) => parseSkillFile(file).faults[0]?.message;
    expect(faultOf('---\nname: a\ndescription: A.\n---\n')).toMatch(/^the instructions are empty/);
    expect(faultOf('Do it.')).toMatch(/^name is required/);
    expect(faultOf('---\nname: a\nDo it.')).toMatch(/its closing --- is missing/);
  });

  it('has another digest with every change', () => {
    const one = parseSkillFile(fileOf('name: a', 'description: A.'));
    const other = parseSkillFile(`${fileOf('name: a', 'description: A.')} Now.`);
    expect(one.skill?.digest).not.toBe(other.skill?.digest);
  });
});

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('read', 'bash(git *)', 'bash(', '', null, 7, true),
    fc.string(),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.string(), tie('any'), { maxKeys: 3 }),
  ),
})).any;
const field = fc.constantFrom('name', 'description', 'license', 'compatibility', 'metadata');
const front = fc.dictionary(fc.oneof(field, fc.constant('allowed-tools'), fc.string()), value, {
  maxKeys: 6,
});

it('takes any front matter: a skill that fits the specification, or its faults by line', () => {
  fc.assert(
    fc.property(front, fc.constantFrom('a', 'pdf-forms', 'A'), (fields, name) => {
      const file = `---\n${stringify({ description: 'A.', ...fields, name })}---\nDo it.`;
      const { skill, faults } = parseSkillFile(file);
      expect(skill === undefined).toBe(faults.length > 0);
      for (const { line, message } of faults) {
        expect(line).toBeGreaterThan(0);
        expect(line).toBeLessThanOrEqual(file.split('\n').length);
        expect(message).not.toMatch(/\[object|undefined/);
      }
      if (skill === undefined) return;
      expect(isSkillName(skill.name)).toBe(true);
      expect(skill.description.trim()).not.toBe('');
      expect(skill.description).not.toContain('\n');
      for (const rule of skill.allowedTools ?? []) expect(ruleFault(rule)).toBeUndefined();
    }),
    { numRuns: 500 },
  );
});
