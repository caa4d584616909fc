/**
 * `npm run release:check -- v0.2.0`: whether the tag, the versions of both packages and the newest release in the
 * changelog are the same.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { findReleaseFault } from './find-release-fault.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const text = (file) => readFile(path.join(root, file), 'utf8');

const versionOf = async (file) => JSON.parse(await text(file)).version;
const fault = findReleaseFault(process.argv[2] ?? '', {
  version: await versionOf('package.json'),
  createVersion: await versionOf('packages/create-turnpike/package.json'),
  changelog: await text('CHANGELOG.md'),
});
if (fault !== undefined) {
  console.error(fault);
  process.exitCode = 1;
}
