/** Finds a Python for the tests of its client, after installing it if it may. */
import { spawnSync } from 'node:child_process';
import { findProgram, installPackages } from './find-programs.mjs';

/**
 * @param {(line: string) => void} log
 * @returns {string | undefined} the program of a Python 3.11 or later that has httpx and pydantic.
 */
export function findPython(log) {
  const installed = findWithPackages();
  if (installed !== undefined) return installed;
  try {
    installPackages(['python3', 'python3-httpx', 'python3-pydantic'], log);
  } catch (error) {
    log(`Python could not be installed: ${String(error)}`);
  }
  return findWithPackages();
}

function findWithPackages() {
  // The distribution's own has its packages; one that stands before it on the PATH may have none.
  const programs = [findProgram('python3'), '/usr/bin/python3'];
  const check = 'import sys, httpx, pydantic; sys.exit(sys.version_info < (3, 11))';
  return programs.find(
    (program) => program !== undefined && spawnSync(program, ['-c', check]).status === 0,
  );
}
