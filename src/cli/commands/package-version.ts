import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isPlainObject } from '../../platform/json.js';
import { packageRoot } from '../../platform/package-root.js';

/** The version in `package.json`; works from the source and from the build. */
export function loadPackageVersion(): string {
  const text = readFileSync(path.join(packageRoot, 'package.json'), 'utf8');
  const manifest: unknown = JSON.parse(text);
  return isPlainObject(manifest) ? String(manifest['version']) : 'unknown';
}
