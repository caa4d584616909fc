/** Whether this machine can run a command in a sandbox, after installing what is missing. */
import { spawnSync } from 'node:child_process';
import { findProgram, installPackages } from './find-programs.mjs';

const TRIAL_MS = 10_000;
/** As little as any sandbox needs: whether ours works is for the tests to say. */
const TRIAL = ['--unshare-user', '--unshare-pid', '--ro-bind', '/', '/', '--proc', '/proc', 'true'];

/**
 * @param {(line: string) => void} say
 * @returns {string | undefined} why it cannot.
 */
export function findSandbox(say) {
  if (process.platform !== 'linux') return `bubblewrap does not run on ${process.platform}`;
  if (findProgram('bwrap') === undefined) {
    try {
      installPackages(['bubblewrap'], say);
    } catch (error) {
      say(`bubblewrap could not be installed: ${String(error)}`);
    }
  }
  const bubblewrap = findProgram('bwrap');
  if (bubblewrap === undefined) return 'bubblewrap is not installed (apt-get install bubblewrap)';
  const trial = spawnSync(bubblewrap, TRIAL, { encoding: 'utf8', timeout: TRIAL_MS });
  if (trial.status === 0) return undefined;
  return `bubblewrap does not work here (${trial.stderr?.trim() || trial.error?.message})`;
}
