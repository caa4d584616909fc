import { mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { extract } from 'tar';
import { packageRoot } from '../../platform/process/package-root.js';

/** Image of an empty, migrated database, which the build makes: the engine takes seconds to make one. */
const image = path.join(packageRoot, 'dist/empty-database.tar.gz');

/**
 * Makes the embedded PostgreSQL's files. Blocks its thread: a thousand small files take three times as long one by one
 * through the pool of threads.
 */
export function unpackDatabase(folder: string): void {
  // Made under another name: a process that dies half-way leaves nothing that looks whole.
  const draft = `${folder}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  extract({ file: image, cwd: draft, sync: true });
  renameSync(draft, folder);
}
