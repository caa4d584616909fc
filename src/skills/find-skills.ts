import { readdir } from 'node:fs/promises';
import { errorCode } from '../platform/error-code.js';
import { resolveInside } from '../platform/resolve-inside.js';
import { parseSkillFile, type ParsedSkill } from './parse-skill-file.js';
import { readInside } from './read-inside.js';
import type { FoundSkill, SkillLevel } from './skill.js';

/** Bytes of a SKILL.md. */
const MOST_BYTES = 65_536;

/** Skills of a folder that are read. */
const MOST_SKILLS = 200;

export interface SkillFolder {
  level: SkillLevel;
  /** Absolute: the folder that nothing leaves, the instruction root or the project. */
  root: string;
  /** Below `root`, with `/`: `skills`, `.claude/skills`. */
  below: string;
}

/** The skills of a folder, each a folder with a SKILL.md, sorted by name; none where there is no such folder. */
export async function findSkills({ level, root, below }: SkillFolder): Promise<FoundSkill[]> {
  const names = await foldersIn(root, below);
  return Promise.all(
    names.map(async (name, index): Promise<FoundSkill> => {
      const file = `${below}/${name}/SKILL.md`;
      const about = { name, level, file };
      if (index >= MOST_SKILLS) {
        const message = `a folder has ${MOST_SKILLS} skills at most, and this one comes after them`;
        return { ...about, faults: [{ line: 1, message }] };
      }
      const { skill, faults } = await loadSkill(root, `${below}/${name}`, name);
      if (skill === undefined) return { ...about, faults };
      const place = { root, folder: `${below}/${name}` };
      return { ...about, skill: { ...skill, level, place }, faults };
    }),
  );
}

async function loadSkill(root: string, folder: string, name: string): Promise<ParsedSkill> {
  const refuse = (message: string): ParsedSkill => ({ faults: [{ line: 1, message }] });
  try {
    const read = await readInside({ root, folder }, 'SKILL.md', MOST_BYTES);
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

const absent: readonly (string | undefined)[] = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'];

/** Names of the folders in a folder, by code units; those that begin with a dot are not skills. */
async function foldersIn(root: string, below: string): Promise<string[]> {
  const real = await resolveInside(root, below);
  if (real === undefined) return [];
  try {
    const entries = await readdir(real, { withFileTypes: true });
    return entries
      .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && entry.name[0] !== '.')
      .map(({ name }) => name)
      .sort();
  } catch (error) {
    if (absent.includes(errorCode(error))) return [];
    throw error;
  }
}
