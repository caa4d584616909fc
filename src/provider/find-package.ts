import { findPackageJSON } from 'node:module';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { isPlainObject } from '../platform/json.js';

/** The folder that the server was started in, and the one that Turnpike is installed in. */
export const usualPlaces = (): string[] => [
  pathToFileURL(path.join(process.cwd(), 'package.json')).href,
  import.meta.url,
];

/**
 * The entry of a package that the operator has installed; undefined where it is not.
 *
 * @param places URLs of files whose packages may have it, the first that has it wins.
 */
export async function findPackage(
  name: string,
  places: readonly string[] = usualPlaces(),
): Promise<string | undefined> {
  for (const place of places) {
    const manifest = manifestOf(name, place);
    if (manifest === undefined) continue;
    const { exports, main }: { exports?: unknown; main?: unknown } = JSON.parse(
      await readFile(manifest, 'utf8'),
    ) as object;
    const entry = entryOf(exports) ?? (typeof main === 'string' ? main : 'index.js');
    return path.join(path.dirname(manifest), entry);
  }
  return undefined;
}

/** What a package exports, by name. */
export async function importPackage(entry: string): Promise<Readonly<Record<string, unknown>>> {
  const module: unknown = await import(pathToFileURL(entry).href);
  return module as Readonly<Record<string, unknown>>;
}

function manifestOf(name: string, place: string): string | undefined {
  try {
    return findPackageJSON(name, place);
  } catch {
    // It says so by an error that the package is not there.
    return undefined;
  }
}

/** The file of `exports` that `import` gets. */
function entryOf(exports: unknown): string | undefined {
  if (typeof exports === 'string') return exports;
  if (!isPlainObject(exports)) return undefined;
  return entryOf(exports['.'] ?? exports['import'] ?? exports['default']);
}
