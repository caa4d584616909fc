import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { errorCode, unlessGone } from '../platform/error-code.js';
import { FolderHandle, openFile, readBytes } from '../platform/files/folder-handle.js';
import {
  parseNamed,
  type ParsedSkill,
  type ParseSkill,
  type FoundSkill,
  type SkillLevel,
  type EnclosedFolder,
} from './skill-file.js';
import { isWithin } from '../platform/is-within.js';
import { readWritten, type WrittenText } from '../platform/text/written-text.js';

/** Bytes of a SKILL.md. */
const MAX_SKILL_BYTES = 65_536;

/** Skills of a folder that are read. */
const MAX_SKILLS = 200;

export interface SkillFolder {
  level: SkillLevel;
  /** Absolute, without links: the folder that nothing leaves, the instruction root or the project. */
  root: string;
  /** What links do not reach, without links. */
  hidden: readonly string[];
  /** Below `root`, with `/`: `skills`, `.claude/skills`. */
  below: string;
  /** Whose form the files have. Absent: that of the specification of skills. */
  form?: string;
}

/** The skills of a folder, each a folder with a SKILL.md, sorted by name; none where there is no such folder. */
export async function findSkills(
  where: SkillFolder,
  parse: ParseSkill = parseNamed,
): Promise<FoundSkill[]> {
  const { level, root, hidden, below } = where;
  const names = await foldersIn(where);
  const found = await Promise.all(
    names.map(async (name, index): Promise<FoundSkill | undefined> => {
      const file = `${below}/${name}/SKILL.md`;
      const about = { name, level, file };
      if (index >= MAX_SKILLS) {
        const message = `a folder has ${MAX_SKILLS} skills at most, and this one comes after them`;
        return { ...about, faults: [{ line: 1, message }] };
      }
      const place = { root, hidden, folder: `${below}/${name}` };
      const loaded = await loadSkill(place, name, parse);
      if (loaded === undefined) return undefined;
      const { skill, faults } = loaded;
      if (skill === undefined) return { ...about, faults };
      return { ...about, skill: { ...skill, level, place }, faults };
    }),
  );
  return found.filter((one) => one !== undefined);
}

async function loadSkill(
  place: EnclosedFolder,
  name: string,
  parse: ParseSkill,
): Promise<ParsedSkill | undefined> {
  const refuse = (message: string): ParsedSkill => ({ faults: [{ line: 1, message }] });
  try {
    const read = await readInside(place, 'SKILL.md', MAX_SKILL_BYTES);
    if ('fault' in read) return refuse(`SKILL.md ${read.fault}`);
    return parse(read.text, name);
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return refuse(`this file cannot be read (${code}); check its permissions`);
  }
}

/** Names of the folders in a folder, by code units; those that begin with a dot are not skills. */
async function foldersIn({ root, hidden, below }: SkillFolder): Promise<string[]> {
  const real = await resolveBelow(root, below, hidden);
  const folder = real === undefined ? undefined : await unlessGone(FolderHandle.open(real));
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

const MAX_PATH_CHARS = 1_000;

/**
 * Reads a text file below a folder. Links may lead to other places inside of the folder, and nowhere else; what is opened
 * is what they led to, also when a folder on the way is exchanged for a link meanwhile.
 *
 * @param file relative, with `/`.
 * @param most bytes that the file may have.
 * @returns the text, or `fault`, which completes the file's name: `is …`.
 */
export async function readInside(
  place: EnclosedFolder,
  file: string,
  most: number,
): Promise<WrittenText> {
  const fault = pathFault(file);
  if (fault !== undefined) return { fault };
  const folder = await resolveBelow(place.root, place.folder, place.hidden);
  const real = folder && (await resolveBelow(folder, file, place.hidden));
  if (real === undefined) return { fault: 'is no file of this folder' };
  const handle = await unlessGone(openFile(real));
  if (handle === undefined) return { fault: 'is no file that can be read' };
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) return { fault: 'is no regular file' };
    if (stats.size > most) return { fault: `has ${stats.size} bytes, and the most is ${most}` };
    return readWritten(await readBytes(handle, stats.size));
  } finally {
    await handle.close();
  }
}

/**
 * Where a path leads below a folder without links; undefined when it does not exist, leads out of it, or to what is
 * hidden.
 */
async function resolveBelow(
  folder: string,
  file: string,
  hidden: readonly string[],
): Promise<string | undefined> {
  const real = await unlessGone(realpath(path.join(folder, file)));
  if (real === undefined || !isWithin(folder, real)) return undefined;
  return hidden.some((one) => isWithin(one, real)) ? undefined : real;
}

function pathFault(file: string): string | undefined {
  if (file.includes('\0')) return 'is no path: it has a NUL';
  if (file.length > MAX_PATH_CHARS) return `is longer than ${MAX_PATH_CHARS} characters`;
  if (path.isAbsolute(file)) return 'must be relative to the folder of the skill';
  if (path.normalize(file).split(path.sep)[0] === '..') return 'leads out of the folder';
  return undefined;
}
