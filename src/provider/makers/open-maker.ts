import { findPackageJSON } from 'node:module';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError } from '../../config/config.js';
import { isPlainObject } from '../../platform/json.js';
import type { MakerKind } from './maker-table.js';
import type { LanguageModel } from './specification.js';

/** The version of the specification that packages must have. */
const SPECIFICATION = 'v4';

export interface MakerSettings {
  apiKey?: string;
  baseURL: string;
  fetch: typeof fetch;
}

/** Makes the model of an id. */
export type OpenModel = (id: string) => LanguageModel;

/**
 * Loads the package of a maker, from the folder that the server was started in, or from beside Turnpike.
 *
 * @throws ConfigError with the npm line where it is missing, or is of another version of the specification.
 */
export async function openMaker(
  name: string,
  kind: Pick<MakerKind, 'package' | 'create' | 'settings'>,
  settings: MakerSettings,
): Promise<OpenModel> {
  const file = await findPackage(kind.package);
  const install = `npm install ${kind.package}@latest`;
  if (file === undefined) {
    throw new ConfigError([
      `TURNPIKE_MAKERS has ${name}, and its package is not installed: ${install}, in the folder in which you start the server`,
    ]);
  }
  const module: unknown = await import(pathToFileURL(file).href);
  const create: unknown = isModule(module) ? module[kind.create] : undefined;
  if (typeof create !== 'function') throw wrongVersion(name, kind, install);
  // Keys and addresses are given, so that none is taken from the environment.
  const provider: unknown = create({
    ...kind.settings,
    ...settings,
    apiKey: settings.apiKey ?? 'none',
    name,
  });
  if (typeof provider !== 'function') throw wrongVersion(name, kind, install);
  const open = (id: string): LanguageModel => provider(id) as LanguageModel;
  if (open('any').specificationVersion !== SPECIFICATION) throw wrongVersion(name, kind, install);
  return open;
}

function wrongVersion(
  name: string,
  kind: Pick<MakerKind, 'package'>,
  install: string,
): ConfigError {
  return new ConfigError([
    `TURNPIKE_MAKERS has ${name}, and the ${kind.package} that is installed is not of the AI SDK's provider specification ${SPECIFICATION}: ${install}, with Node 22 or later`,
  ]);
}

function isModule(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** The entry of a package; undefined where it is not installed. */
async function findPackage(name: string): Promise<string | undefined> {
  const places = [pathToFileURL(path.join(process.cwd(), 'package.json')).href, import.meta.url];
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
