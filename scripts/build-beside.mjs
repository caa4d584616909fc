/** Makes a folder beside the one that it takes the place of: what is in place is whole, whenever a build is stopped. */
import { readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/**
 * @param {string} folder
 * @param {(making: string) => Promise<void>} build fills a new folder beside it.
 * @returns {Promise<void>}
 * @throws what `build` throws; what was in place stays.
 */
export async function buildBeside(folder, build) {
  await forgetStopped(folder);
  const making = `${folder}.${process.pid}`;
  const before = `${making}.before`;
  try {
    await build(making);
    await rename(folder, before).catch((error) => {
      if (error.code !== 'ENOENT') throw error;
    });
    await rename(making, folder).catch((error) => {
      // Another build came between: what it put there is whole, and as new.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    for (const rest of [making, before]) await rm(rest, { recursive: true, force: true });
  }
}

/** Removes what builds left that were stopped. */
async function forgetStopped(folder) {
  const parent = path.dirname(folder);
  const prefix = `${path.basename(folder)}.`;
  for (const name of await readdir(parent)) {
    const [, pid] = name.startsWith(prefix)
      ? (/^(\d+)(\.before)?$/.exec(name.slice(prefix.length)) ?? [])
      : [];
    if (pid === undefined || isRunning(Number(pid))) continue;
    await rm(path.join(parent, name), { recursive: true, force: true });
  }
}

function isRunning(pid) {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Somebody else's.
    return error.code === 'EPERM';
  }
}
