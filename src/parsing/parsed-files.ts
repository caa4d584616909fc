import { constants, open } from 'node:fs/promises';

const missing = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO']);

/**
 * Parses each version of a file once. A version is inode, times and size: an edit takes effect at the next
 * load, and an unchanged file costs one open and one stat.
 */
export class ParsedFiles<T> {
  readonly #known = new Map<string, { version: string; value: T }>();

  /** The parsed file; undefined when `path` is no regular file. */
  async load(path: string, parse: (text: string) => T): Promise<T | undefined> {
    const handle = await openIfThere(path);
    if (handle === undefined) return undefined;
    try {
      const stats = await handle.stat({ bigint: true });
      if (!stats.isFile()) return undefined;
      const version = `${stats.dev}:${stats.ino}:${stats.mtimeNs}:${stats.ctimeNs}:${stats.size}`;
      const known = this.#known.get(path);
      if (known?.version === version) return known.value;
      const text = await handle.readFile('utf8');
      // A concurrent load of the same version may have finished first: all callers get its value.
      const concurrent = this.#known.get(path);
      if (concurrent?.version === version) return concurrent.value;
      const value = parse(text);
      this.#known.set(path, { version, value });
      return value;
    } finally {
      await handle.close();
    }
  }
}

async function openIfThere(path: string) {
  try {
    // Without O_NONBLOCK the open of a named pipe would wait for a writer.
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (missing.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
