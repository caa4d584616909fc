/** Finds Python for the test of its example, after installing it if it may. */
import { findProgram, installPackages } from './find-programs.mjs';

/**
 * @param {(line: string) => void} log
 * @returns {string | undefined} its program.
 */
export function findPython(log) {
  const installed = findProgram('python3');
  if (installed !== undefined) return installed;
  try {
    installPackages(['python3'], log);
  } catch (error) {
    log(`Python could not be installed: ${String(error)}`);
  }
  return findProgram('python3');
}
