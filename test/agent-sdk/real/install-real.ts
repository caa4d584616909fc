import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const MANIFESTS = ['package.json', 'package-lock.json'];

/** Minutes of a slow network, for 130 MB. */
const INSTALL_TIMEOUT_MS = 600_000;

/**
 * Installs the real SDK from npm, at the versions and with the checksums of the lock file here. It has 450 MB, so it is
 * in a folder of the machine, for all clones: that of `TEST_AGENT_SDK`, or `turnpike/agent-sdk` in the user's cache;
 * for root, in `/var/cache`, since the user that runs it has to reach it.
 *
 * @returns the folder that has its `node_modules`.
 * @throws Error that says what to do where it cannot be installed: no suite over it may pass without it.
 */
export function installReal(): string {
  const folder = process.env['TEST_AGENT_SDK'] ?? path.join(cacheFolder(), 'turnpike/agent-sdk');
  if (isInstalled(folder)) return folder;
  // It has its name when it is whole: two runs may install it at once, and one may be stopped.
  const part = `${folder}.${process.pid}`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  for (const name of MANIFESTS) cpSync(path.join(here, name), path.join(part, name));
  const flags = ['--ignore-scripts', '--no-fund', '--no-audit', '--loglevel=error'];
  const { status, stderr } = spawnSync('npm', ['ci', ...flags], {
    cwd: part,
    encoding: 'utf8',
    timeout: INSTALL_TIMEOUT_MS,
  });
  if (status !== 0) {
    rmSync(part, { recursive: true, force: true });
    throw new Error(
      `The real Claude Agent SDK could not be installed, so nothing was compared with it. Connect this machine to an npm registry, or set TEST_AGENT_SDK to a folder where "npm ci" was run with the files of test/agent-sdk/real. npm said: ${stderr}`,
    );
  }
  // Another run may have been faster.
  if (isInstalled(folder)) {
    rmSync(part, { recursive: true, force: true });
    return folder;
  }
  rmSync(folder, { recursive: true, force: true });
  renameSync(part, folder);
  return folder;
}

function cacheFolder(): string {
  if (process.getuid?.() === 0) return '/var/cache';
  return process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache');
}

/** Whether a folder has the packages of this lock file. npm writes its own copy last. */
function isInstalled(folder: string): boolean {
  if (!existsSync(path.join(folder, 'node_modules/.package-lock.json'))) return false;
  return MANIFESTS.every(
    (name) =>
      existsSync(path.join(folder, name)) &&
      readFileSync(path.join(folder, name), 'utf8') === readFileSync(path.join(here, name), 'utf8'),
  );
}
