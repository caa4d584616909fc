import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** Free bytes that a run of the tests needs, with a large margin. */
const NEEDED_BYTES = 4 * 1024 ** 3;

/**
 * The folder for databases of tests: a file system in memory with enough free space, else the temporary
 * folder. An embedded database is a thousand small files, which memory copies in a tenth of the time.
 *
 * @returns {string} the folder's path.
 */
export function memoryFolder() {
  const folder = '/dev/shm';
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > NEEDED_BYTES ? folder : tmpdir();
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return tmpdir();
  }
}
