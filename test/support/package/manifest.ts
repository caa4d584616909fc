import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../../src/platform/process/package-root.js';

export interface Manifest {
  name: string;
  version: string;
  bin: Record<string, string>;
  scripts: Record<string, string>;
  exports: Record<string, string | { types: string; default: string }>;
  allowScripts: Record<string, boolean>;
  dependencies: Record<string, string>;
}

export const manifest = load('package.json') as Manifest;

export interface LockedPackage {
  hasInstallScript?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  os?: string[];
  cpu?: string[];
}

/** Packages of the lock file by their folders. */
export const { packages: lockedPackages } = load('package-lock.json') as {
  packages: Record<string, LockedPackage>;
};

function load(file: string): unknown {
  return JSON.parse(readFileSync(path.join(packageRoot, file), 'utf8'));
}
