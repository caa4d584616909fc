import { access } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../platform/error-code.js';

/** Files in which projects tell agents what to know. */
const notes = ['AGENTS.md', 'CLAUDE.md'];

/** No file, or a link that leads nowhere or where we may not look: nothing one could read. */
const absent = new Set<string | undefined>(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES']);

/** What a model should know of a project before it begins; undefined where there is nothing. */
export async function readProjectFacts(projectRoot: string): Promise<string | undefined> {
  const found = await Promise.all(notes.map((name) => exists(path.join(projectRoot, name))));
  const named = notes.filter((_, index) => found[index]);
  if (named.length === 0) return undefined;
  return `The project has notes for agents in ${named.join(' and ')}. Read them before you change anything.`;
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch (error) {
    if (absent.has(errorCode(error))) return false;
    throw error;
  }
}
