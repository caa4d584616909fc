import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isPlainObject } from '../../platform/json.js';
import { packageRoot } from '../../platform/package-root.js';

/** The version in the package's `package.json`, from the source and from the build. */
export function readPackageVersion(): string {
  const text = readFileSync(path.join(packageRoot, 'package.json'), 'utf8');
  const manifest: unknown = JSON.parse(text);
  return isPlainObject(manifest) ? String(manifest['version']) : 'unknown';
}
