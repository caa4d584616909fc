import { findProgram } from '../services/find-programs.mjs';

/** @returns {string | undefined} Debian's is not on everybody's PATH. */
export function findNginx() {
  return findProgram('nginx', ['/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin']);
}
