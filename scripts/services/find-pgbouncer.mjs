/** Finds PgBouncer for the test behind it, after installing it if it may. */
import { findProgram, installPackages } from './find-programs.mjs';

const folders = ['/usr/sbin', '/opt/homebrew/bin'];

/**
 * @param {(line: string) => void} log
 * @returns {string | undefined} its program.
 */
export function findPgBouncer(log) {
  const installed = findProgram('pgbouncer', folders);
  if (installed !== undefined) return installed;
  try {
    installPackages(['pgbouncer'], log);
  } catch (error) {
    log(`PgBouncer could not be installed: ${String(error)}`);
  }
  return findProgram('pgbouncer', folders);
}
