/**
 * `node make-database.js FOLDER`: makes the embedded PostgreSQL's files. A process of its own, because the memory
 * that this takes is not given back to the system by the process that took it.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { packageRoot } from '../../platform/process/package-root.js';

/** Image of an empty database, which the build makes; without it a new folder takes longer. */
const builtImage = path.join(packageRoot, 'dist/empty-database.tar.gz');

const [, , folder] = process.argv;
if (folder === undefined) throw new Error('Name the folder');
// A server that ended needs no database, and the next one makes its own.
process.stdin.on('end', () => process.exit(1)).resume();
// Made under another name: a process that dies half-way leaves nothing that looks whole.
const draft = `${folder}.new`;
try {
  // Retried: the process of a server that was killed may write for a moment more.
  await rm(draft, { recursive: true, force: true, maxRetries: 10 });
  await mkdir(draft, { recursive: true });
  const start = existsSync(builtImage)
    ? { loadDataDir: new Blob([await readFile(builtImage)]) }
    : {};
  await (await PGlite.create({ dataDir: draft, ...start })).close();
  await rename(draft, folder);
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
} finally {
  process.stdin.destroy();
}
