import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { MARKS_FILE } from '../plan/plan-turn.mjs';

/**
 * Counts how often each marker was written, over all projects of a run.
 *
 * @param {string} projects their folder
 * @returns {Promise<Map<string, number>>}
 */
export async function countMarks(projects) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const project of await readdir(projects)) {
    for (const line of await readLines(path.join(projects, project, MARKS_FILE))) {
      counts.set(line, (counts.get(line) ?? 0) + 1);
    }
  }
  return counts;
}

/** The lines of a file; none if no command has written it. @param {string} file */
async function readLines(file) {
  try {
    return (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
