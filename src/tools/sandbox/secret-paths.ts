import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';

/** Under a home: keys, tokens, and what was typed. */
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
 * Sockets of other programs (a socket is not protected by a read-only mount), secrets that a
 * container is given, and what only root can read.
 */
const ofTheMachine = ['/run', '/var/run', '/etc/shadow', '/etc/gshadow'];

/** Where secrets usually are, whether or not they exist. */
export function secretPaths(homes: readonly string[]): string[] {
  return [...ofTheMachine, ...homes.flatMap((home) => inHome.map((one) => path.join(home, one)))];
}

/** Of the server's account; root reads everybody's. */
export async function homeFolders(): Promise<string[]> {
  const isRoot = process.getuid?.() === 0;
  const others = isRoot ? await readdir('/home').catch(() => []) : [];
  return [homedir(), ...others.map((name) => path.join('/home', name))];
}
