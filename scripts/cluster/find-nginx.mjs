import { findProgram } from '../services/find-programs.mjs';

/** @returns {string | undefined} the program, also from Debian's folder outside of most users' PATH. */
export function findNginx() {
  return findProgram('nginx', ['/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin']);
}
