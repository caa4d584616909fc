import { beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ManualClock } from '../../test/support/manual-clock.js';
import { findSkills, readInside } from './find-skills.js';
import { SkillLibrary } from './skill-library.js';
import { newFolder } from '../../test/support/suite.js';

let root: string;
beforeEach(async () => {
  root = newFolder();
});

async function put(file: string, text: string | Buffer): Promise<void> {
  await mkdir(path.dirname(path.join(root, file)), { recursive: true });
  await writeFile(path.join(root, file), text);
}
const skillText = (name: string) => `---\nname: ${name}\ndescription: Does ${name}.\n---\nDo it.`;
const utf16Mark = Buffer.from([0xff, 0xfe]);
const putSkill = (name: string, text: string | Buffer = skillText(name)) =>
  put(`skills/${name}/SKILL.md`, text);
const find = async () =>
  (await findSkills({ level: 'server', root, hidden: [], below: 'skills' })).map(
    ({ name, skill, faults }) =>
      skill === undefined ? `${name}: ${faults.map(({ message }) => message).join()}` : name,
  );

describe('findSkills', () => {
  it('finds none where there is no folder, or a file in its place', async () => {
    expect(await find()).toEqual([]);
    await put('skills', 'no folder');
    expect(await find()).toEqual([]);
  });

  it('finds each folder, by name, and a faulty one takes no other away', async () => {
    await putSkill('zip');
    await putSkill('pdf');
    await putSkill('other', skillText('pdf'));
    await putSkill('wide', Buffer.concat([utf16Mark, Buffer.from(skillText('wide'), 'utf16le')]));
    await put('skills/README.md', 'No skill.');
    await put('skills/.git/HEAD', 'No skill.');
    await put('skills/empty/notes.md', 'No skill.');
    await putSkill('binary', 'a\0b');
    await putSkill('huge', 'x'.repeat(65_537));
    expect(await find()).toEqual([
      'binary: SKILL.md is not text in UTF-8: it is binary, or UTF-16 without a byte order mark',
      'empty: SKILL.md is no file of this folder',
      'huge: SKILL.md has 65537 bytes, and the most is 65536',
      'other: name must be that of its folder, other, not pdf',
      'pdf',
      'wide',
      'zip',
    ]);
  });

  it('follows links inside of the root, and none that leave it', async () => {
    await put('elsewhere/far/SKILL.md', skillText('far'));
    const outside = newFolder();
    await writeFile(path.join(outside, 'SKILL.md'), skillText('out'));
    await mkdir(path.join(root, 'skills', 'file-out'), { recursive: true });
    await symlink(path.join(root, 'elsewhere', 'far'), path.join(root, 'skills', 'far'));
    await symlink(outside, path.join(root, 'skills', 'out'));
    await symlink(path.join(outside, 'SKILL.md'), path.join(root, 'skills/file-out/SKILL.md'));
    await symlink('loop', path.join(root, 'skills', 'loop'));
    expect(await find()).toEqual([
      'far',
      'file-out: SKILL.md is no file of this folder',
      'loop: SKILL.md is no file of this folder',
      'out: SKILL.md is no file of this folder',
    ]);
  });
});

describe('readInside', () => {
  const read = async (file: string) => {
    const found = await readInside({ root, hidden: [], folder: 'skills/pdf' }, file, 100);
    return 'text' in found ? found.text : found.fault;
  };

  it('reads what is in the folder, and nothing beside it', async () => {
    await putSkill('pdf');
    await put('skills/pdf/references/forms.md', 'Forms.');
    await put('secret.md', 'Secret.');
    await symlink(path.join(root, 'secret.md'), path.join(root, 'skills/pdf/link.md'));
    await symlink('references/forms.md', path.join(root, 'skills/pdf/inner.md'));
    expect(await read('references/forms.md')).toBe('Forms.');
    expect(await read('references/../inner.md')).toBe('Forms.');
    expect(await read('link.md')).toBe('is no file of this folder');
    expect(await read('../../secret.md')).toBe('leads out of the folder');
    expect(await read('references/../../../secret.md')).toBe('leads out of the folder');
    expect(await read(path.join(root, 'secret.md'))).toBe(
      'must be relative to the folder of the skill',
    );
    expect(await read('SKILL.md\0.png')).toBe('is no path: it has a NUL');
    expect(await read('a/'.repeat(600))).toBe('is longer than 1000 characters');
    expect(await read('missing.md')).toBe('is no file of this folder');
    expect(await read('.')).toBe('is no regular file');
  });

  it('refuses what is no text, too large, or a pipe that nobody writes', async () => {
    await put('skills/pdf/image.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]));
    await put('skills/pdf/large.md', 'x'.repeat(101));
    execFileSync('sh', ['-c', 'mkfifo "$0"', path.join(root, 'skills/pdf/pipe')]);
    expect(await read('image.png')).toBe('is not text in UTF-8');
    expect(await read('large.md')).toBe('has 101 bytes, and the most is 100');
    expect(await read('pipe')).toBe('is no regular file');
  });
});

describe('SkillLibrary', () => {
  it('reports a fault once for each of its versions, and sees an edit after a second', async () => {
    const clock = new ManualClock();
    const problems: string[] = [];
    const library = new SkillLibrary({
      instructionRoot: root,
      hasProjectSkills: false,
      clock,
      onProblem: (location, problem) => problems.push(`${location}: ${problem}`),
    });
    await putSkill('pdf', 'Do it.');
    await put('agents/GONE/skills/a/SKILL.md', skillText('a'));
    await library.check([{ name: 'READER', skills: ['pdfs', 'pdf'] }]);
    expect(problems).toEqual([
      expect.stringMatching(/^skills\/pdf\/SKILL\.md:1: name is required; the skill is left out$/),
      expect.stringMatching(/description/),
      'agents/READER: skills names the skill "pdfs", which does not exist; did you mean pdf?',
      'agents/GONE/skills: there is no agent GONE: nobody has these skills',
    ]);
    await putSkill('pdf');
    const [before] = await library.find({});
    expect(before?.skill).toBeUndefined();
    await clock.advance(1_001);
    const [after] = await library.find({ project: { root, hidden: [] } });
    expect(after?.skill?.description).toBe('Does pdf.');
    expect(problems).toHaveLength(4);
  });
});
