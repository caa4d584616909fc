import { lchownSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Folders of a repository that no case is about. */
const hidden = new Set(['.git', 'node_modules']);

/**
 * Writes files into a new folder, for a user of the machine if one is given.
 *
 * @param files texts by paths.
 * @param owner an id of a user and of its group.
 */
export function writeProject(
  folder: string,
  files: Readonly<Record<string, string>>,
  owner?: number,
): void {
  const made = new Set<string>();
  const make = (to: string): void => {
    if (to !== folder && !made.has(to)) make(path.dirname(to));
    mkdirSync(to, { recursive: true });
    made.add(to);
  };
  make(folder);
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    make(path.dirname(file));
    writeFileSync(file, text);
    made.add(file);
  }
  if (owner === undefined) return;
  for (const file of made) lchownSync(file, owner, owner);
}

/** The texts of all files of a folder, by their paths in it. */
export function readProject(folder: string): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (name.split(path.sep).some((part) => hidden.has(part))) continue;
    const file = path.join(folder, name);
    if (statSync(file).isFile()) texts[name] = readFileSync(file, 'utf8');
  }
  return texts;
}

/** Files that were written, with their texts, and those that are gone, as null. */
export function changedFiles(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): Record<string, string | null> {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return Object.fromEntries(
    names.filter((name) => before[name] !== after[name]).map((name) => [name, after[name] ?? null]),
  );
}
