import type { MemoryChange } from './commands/memory-file.js';

/** Paths named in one entry of the audit log. */
const MOST_PATHS = 20;

/** A change for the audit log: paths and sizes, never content. Pure. */
export function describeChange(change: MemoryChange): Record<string, unknown> {
  switch (change.type) {
    case 'write':
      return { did: 'write', path: change.path, bytes: Buffer.byteLength(change.content) };
    case 'remove':
      return {
        did: 'delete',
        paths: change.paths.slice(0, MOST_PATHS),
        files: change.paths.length,
      };
    case 'move':
      return {
        did: 'rename',
        moves: change.moves.slice(0, MOST_PATHS),
        files: change.moves.length,
      };
  }
}
