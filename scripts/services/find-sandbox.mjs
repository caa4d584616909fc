/** Checks whether this machine can run a sandbox, after installing bubblewrap if it may. */
import { spawnSync } from 'node:child_process';
import { findProgram, installPackages } from './find-programs.mjs';

const TRIAL_MS = 10_000;
/** The least that any sandbox needs; the tests check ours. */
const TRIAL = ['--unshare-user', '--unshare-pid', '--ro-bind', '/', '/', '--proc', '/proc', 'true'];

/**
 * @param {(line: string) => void} log
 * @returns {string | undefined} the reason why it cannot.
 */
export function findSandbox(log) {
  if (process.platform !== 'linux') return `bubblewrap does not run on ${process.platform}`;
  if (findProgram('bwrap') === undefined) {
    try {
      installPackages(['bubblewrap'], log);
    } catch (error) {
      log(`bubblewrap could not be installed: ${String(error)}`);
    }
  }
  const bubblewrap = findProgram('bwrap');
  if (bubblewrap === undefined) return 'bubblewrap is not installed (apt-get install bubblewrap)';
  const trial = spawnSync(bubblewrap, TRIAL, { encoding: 'utf8', timeout: TRIAL_MS });
  if (trial.status === 0) return undefined;
  return `bubblewrap does not work here (${trial.stderr?.trim() || trial.error?.message})`;
}
