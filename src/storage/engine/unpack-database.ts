import { mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { extract } from 'tar';
import { packageRoot } from '../../platform/process/package-root.js';

/** Image of an empty, migrated database, which the build makes: the engine takes seconds to make one. */
const image = path.join(packageRoot, 'dist/empty-database.tar.gz');

/**
 * Makes the embedded PostgreSQL's files. Blocks its thread: a thousand small files take three times as long one by one
 * through the pool of threads.
 *
 * @throws the system's error; what looks whole is whole.
 */
export function unpackDatabase(folder: string): void {
  // Made under another name: a process that dies half-way leaves nothing that looks whole.
  const draft = `${folder}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  // Strict: a file that cannot be written, as on a full disk, is only warned of otherwise.
  extract({ file: image, cwd: draft, sync: true, strict: true });
  renameSync(draft, folder);
}
