import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';

/** Paths below a home folder: keys, tokens, and the shell's history. */
const inHome = [
  '.ssh',
  '.aws',
  '.azure',
  '.gnupg',
  '.kube',
  '.docker',
  '.config/gcloud',
  '.config/gh',
  '.npmrc',
  '.netrc',
  '.pypirc',
  '.pgpass',
  '.git-credentials',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.bash_history',
];

/**
 * Sockets of other programs (a read-only mount does not protect a socket), secrets of containers, and
 * files that only root can read.
 */
const ofTheMachine = ['/run', '/var/run', '/etc/shadow', '/etc/gshadow'];

/** The usual paths of secrets, whether or not they exist. */
export function secretPaths(homes: readonly string[]): string[] {
  return [...ofTheMachine, ...homes.flatMap((home) => inHome.map((one) => path.join(home, one)))];
}

/** The home folders that the server's user can read: its own, for root all. */
export async function homeFolders(): Promise<string[]> {
  const isRoot = process.getuid?.() === 0;
  const others = isRoot ? await readdir('/home').catch(() => []) : [];
  return [homedir(), ...others.map((name) => path.join('/home', name))];
}
