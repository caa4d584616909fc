import path, { resolve } from 'node:path';
import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import type { OwnPaths } from '../governance/permissions/own-paths.js';
import type { Config } from '../config/config.js';
import { withLinkTargets } from './calls/call-paths.js';

/** Virtual files of the kernel, which include the server's environment: no project root lies there. */
export const kernelFolders = ['/proc', '/sys', '/dev'];

/** The server's own paths as they are configured. */
interface OwnFolders {
  data: readonly string[];
  hidden: readonly string[];
  protected: readonly string[];
}

/** Resolves the server's own paths, once: a link that changes later is not followed again. */
export async function resolveOwnPaths(own: OwnFolders): Promise<OwnPaths> {
  const [data, hidden, kept] = await Promise.all(
    [own.data, own.hidden, own.protected].map((paths) =>
      withLinkTargets(paths.map((one) => resolve(one))),
    ),
  );
  return {
    closed: [...kernelFolders, ...(data ?? [])],
    hidden: hidden ?? [],
    protected: kept ?? [],
  };
}

type FolderConfig = Pick<
  Config,
  | 'authFile'
  | 'blobDir'
  | 'dataDir'
  | 'instructionRoot'
  | 'masterKeyFile'
  | 'mcpFile'
  | 'permissionsFile'
  | 'sandboxHide'
  | 'toolsDir'
>;

/** The server's own folders and files, which commands and file tools cannot read or cannot write. */
export function ownFolders(config: FolderConfig): OwnFolders {
  const { authFile, blobDir, dataDir, instructionRoot, masterKeyFile, mcpFile } = config;
  const { permissionsFile, toolsDir } = config;
  return {
    data: [dataDir, ...(blobDir === undefined ? [] : [blobDir])],
    // The file of MCP servers may have credentials; that of master keys opens all that are stored.
    hidden: [
      ...config.sandboxHide,
      ...[mcpFile, masterKeyFile].filter((file) => file !== undefined),
    ],
    // A tool that could write these would set its own permissions.
    protected: [
      instructionRoot,
      ...[permissionsFile, authFile, toolsDir].filter((file) => file !== undefined),
    ],
  };
}

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
const machinePaths = ['/run', '/var/run', '/etc/shadow', '/etc/gshadow'];

/** The usual paths of secrets, whether or not they exist. */
export function secretPaths(homes: readonly string[]): string[] {
  return [...machinePaths, ...homes.flatMap((home) => inHome.map((one) => path.join(home, one)))];
}

/** The home folders that the server's user can read: its own, for root all. */
export async function homeFolders(): Promise<string[]> {
  const isRoot = process.getuid?.() === 0;
  const others = isRoot ? await readdir('/home').catch(() => []) : [];
  return [homedir(), ...others.map((name) => path.join('/home', name))];
}
