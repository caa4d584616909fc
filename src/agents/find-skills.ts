import { errorCode } from '../platform/error-code.js';
import { HeldFolder, unlessGone } from '../platform/files/held-folder.js';
import { parseSkillFile, type ParsedSkill } from './parse-skill-file.js';
import { readInside, resolveBelow, type Enclosed } from './read-inside.js';
import type { FoundSkill, SkillLevel } from './skill.js';

/** Bytes of a SKILL.md. */
const MOST_BYTES = 65_536;

/** Skills of a folder that are read. */
const MOST_SKILLS = 200;

export interface SkillFolder {
  level: SkillLevel;
  /** Absolute, without links: the folder that nothing leaves, the instruction root or the project. */
  root: string;
  /** What links do not reach, without links. */
  hidden: readonly string[];
  /** Below `root`, with `/`: `skills`, `.claude/skills`. */
  below: string;
}

/** The skills of a folder, each a folder with a SKILL.md, sorted by name; none where there is no such folder. */
export async function findSkills(where: SkillFolder): Promise<FoundSkill[]> {
  const { level, root, hidden, below } = where;
  const names = await foldersIn(where);
  return Promise.all(
    names.map(async (name, index): Promise<FoundSkill> => {
      const file = `${below}/${name}/SKILL.md`;
      const about = { name, level, file };
      if (index >= MOST_SKILLS) {
        const message = `a folder has ${MOST_SKILLS} skills at most, and this one comes after them`;
        return { ...about, faults: [{ line: 1, message }] };
      }
      const place = { root, hidden, folder: `${below}/${name}` };
      const { skill, faults } = await loadSkill(place, name);
      if (skill === undefined) return { ...about, faults };
      return { ...about, skill: { ...skill, level, place }, faults };
    }),
  );
}

async function loadSkill(place: Enclosed, name: string): Promise<ParsedSkill> {
  const refuse = (message: string): ParsedSkill => ({ faults: [{ line: 1, message }] });
  try {
    const read = await readInside(place, 'SKILL.md', MOST_BYTES);
    if ('fault' in read) return refuse(`SKILL.md ${read.fault}`);
    const parsed = parseSkillFile(read.text);
    if (parsed.skill === undefined || parsed.skill.name === name) return parsed;
    return refuse(`name must be that of its folder, ${name}, not ${parsed.skill.name}`);
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return refuse(`this file cannot be read (${code}); check its permissions`);
  }
}

/** Names of the folders in a folder, by code units; those that begin with a dot are not skills. */
async function foldersIn({ root, hidden, below }: SkillFolder): Promise<string[]> {
  const real = await resolveBelow(root, below, hidden);
  const folder = real === undefined ? undefined : await unlessGone(HeldFolder.open(real));
  if (folder === undefined) return [];
  const names: string[] = [];
  try {
    for await (const entry of folder.entries()) {
      const mayBeFolder = entry.isDirectory() || entry.isSymbolicLink();
      if (mayBeFolder && entry.name[0] !== '.') names.push(entry.name);
    }
  } finally {
    await folder.close();
  }
  return names.sort();
}
