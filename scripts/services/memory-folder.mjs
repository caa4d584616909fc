import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** What one run of the tests writes at most, several times over. */
const NEEDED_BYTES = 4 * 1024 ** 3;

/**
 * Where databases of tests are kept: a file system in memory where the machine has one with room, else the
 * folder of temporary files. An embedded database is a thousand small files, which are copied in a tenth
 * of the time there.
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
