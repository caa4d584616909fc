import { describe, expect, it } from '@jest/globals';
import { chooseSkills, hiddenBy, MAX_LISTED_SKILLS, MAX_LISTED_BYTES } from './skill-library.js';
import type { FoundSkill, SkillLevel } from './skill-file.js';

function found(name: string, level: SkillLevel, description = 'A.'): FoundSkill {
  const skill = { name, description, level, digest: level, body: 'Do.' };
  const place = { root: '/', hidden: [], folder: name };
  return { name, level, file: `${name}/SKILL.md`, skill: { ...skill, place }, faults: [] };
}
const faulty = (name: string, level: SkillLevel): FoundSkill => ({
  name,
  level,
  file: `${name}/SKILL.md`,
  faults: [{ line: 1, message: 'wrong' }],
});
const namesOf = (chosen: ReturnType<typeof chooseSkills>) =>
  chosen.skills.map(({ name, level }) => `${name} ${level}`);

describe('chooseSkills', () => {
  it('takes the agent’s before the server’s before the project’s, whatever order they are found in', () => {
    const all = [
      found('c', 'project'),
      found('b', 'project'),
      found('b', 'server'),
      found('a', 'project'),
      found('a', 'server'),
      found('a', 'agent'),
    ];
    const expected = ['a agent', 'b server', 'c project'];
    expect(namesOf(chooseSkills(all, []))).toEqual(expected);
    expect(namesOf(chooseSkills([...all].reverse(), []))).toEqual(expected);
    expect(all.map((one) => hiddenBy(one, all))).toEqual([
      undefined,
      'server',
      undefined,
      'agent',
      'agent',
      undefined,
    ]);
  });

  it('lets no faulty skill hide one that works', () => {
    const all = [faulty('a', 'agent'), found('a', 'server')];
    expect(namesOf(chooseSkills(all, []))).toEqual(['a server']);
    expect(hiddenBy(all[1] ?? found('a', 'server'), all)).toBeUndefined();
  });

  it('takes what every list names, and says which names there are not', () => {
    const all = [found('a', 'server'), found('b', 'server'), faulty('d', 'server')];
    expect(namesOf(chooseSkills(all, [undefined, undefined]))).toEqual(['a server', 'b server']);
    const some = chooseSkills(all, [
      ['b', 'd'],
      ['a', 'b', 'x'],
    ]);
    expect(namesOf(some)).toEqual(['b server']);
    expect(some.missing).toEqual(['d', 'x']);
    expect(namesOf(chooseSkills(all, [[], undefined]))).toEqual([]);
  });

  it('lists so many, and so many bytes, and says which are left out', () => {
    const many = Array.from({ length: MAX_LISTED_SKILLS + 2 }, (_, index) =>
      found(`s${String(index).padStart(3, '0')}`, 'server'),
    );
    expect(chooseSkills(many, []).leftOut).toEqual(['s064', 's065']);
    const long = Array.from({ length: 40 }, (_, index) =>
      found(`s${String(index).padStart(3, '0')}`, 'server', 'ü'.repeat(1_000)),
    );
    const { skills, leftOut } = chooseSkills(long, []);
    expect(skills).toHaveLength(Math.floor(MAX_LISTED_BYTES / 2_004));
    expect(leftOut).toHaveLength(40 - skills.length);
  });
});
