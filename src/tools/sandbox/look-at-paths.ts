import { realpath, stat } from 'node:fs/promises';
import type { RealPath } from './sandbox-mounts.js';

/** Those that exist, with every link followed. */
export async function lookAtPaths(paths: readonly string[]): Promise<RealPath[]> {
  const found = await Promise.all(paths.map(lookAt));
  return found.filter((one) => one !== undefined);
}

async function lookAt(one: string): Promise<RealPath | undefined> {
  try {
    const real = await realpath(one);
    return { path: real, isFolder: (await stat(real)).isDirectory() };
  } catch {
    return undefined;
  }
}
