import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from './package-root.js';

/**
 * Whether the Node that runs this is one that Turnpike runs on. For the first lines of a program, which a Node that
 * is too old can still run.
 *
 * @param version Default: this process's.
 * @param root The package's folder: a clone has a program that brings a newer Node.
 * @returns what to tell the user where it is too old, with a command that works; undefined otherwise.
 */
export function nodeFault(
  version: string = process.versions.node,
  root: string = packageRoot,
): string | undefined {
  const oldest = oldestNode();
  if (compare(version, oldest) >= 0) return undefined;
  const fault = `Turnpike needs Node ${oldest} or later, and this is ${version}.`;
  const program = path.join(root, 'turnpike');
  return existsSync(program)
    ? `${fault} In place of node, call a program that brings Node 24 for this clone:\n  ${program}\n` +
        '(on Windows: npm run turnpike -- COMMAND)\n' +
        `A script of your own runs on the Node that it brings:\n  ${path.join(root, 'node_modules/.bin/node')} SCRIPT\n`
    : `${fault} Install Node 24 (https://nodejs.org/en/download), or run the command on one of the npm registry:\n` +
        `  npx -y --package=${nodePackage()} -c 'COMMAND'\n`;
}

/** A release of Node in the npm registry, for this machine. */
function nodePackage(): string {
  const { platform, arch } = process;
  return `node-${platform === 'win32' ? 'win' : platform}-${arch}@24`;
}

/** @returns as in `22.15`. */
function oldestNode(): string {
  const text = readFileSync(path.join(packageRoot, 'package.json'), 'utf8');
  const { engines } = JSON.parse(text) as { engines: { node: string } };
  return engines.node.replace('>=', '');
}

function compare(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
