import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';

/**
 * The commit of a folder's sources: that of `SOURCE_COMMIT`, for builds of an image, which have no git; otherwise that
 * of the clone whose root the folder is, with `-dirty` where files have changed since.
 *
 * @param {string} folder
 * @param {Record<string, string | undefined>} [environment]
 * @returns {string | undefined} undefined where there is no git, or none of this folder.
 */
export function findCommit(folder, environment = process.env) {
  const given = environment['SOURCE_COMMIT']?.trim();
  if (given) return given;
  // A package that is unpacked inside somebody's clone has not the clone's commit.
  const root = git(folder, 'rev-parse', '--show-toplevel');
  if (root === undefined || realpathSync(root) !== realpathSync(folder)) return undefined;
  return git(folder, 'describe', '--always', '--abbrev=40', '--dirty', '--exclude=*');
}

function git(cwd, ...command) {
  const { status, stdout } = spawnSync('git', command, { cwd, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}
