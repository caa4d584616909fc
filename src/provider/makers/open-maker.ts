import { ConfigError } from '../../config/config.js';
import { findPackage, importPackage } from '../find-package.js';
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
 * @param find finds a package that is installed.
 * @throws ConfigError with the npm line where it is missing, or is of another version of the specification.
 */
export async function openMaker(
  name: string,
  kind: Pick<MakerKind, 'package' | 'create' | 'settings'>,
  settings: MakerSettings,
  find: typeof findPackage = findPackage,
): Promise<OpenModel> {
  const file = await find(kind.package);
  const install = `npm install ${kind.package}@latest`;
  if (file === undefined) {
    throw new ConfigError([
      `TURNPIKE_MAKERS has ${name}, and its package is not installed: ${install}, in the folder in which you start the server`,
    ]);
  }
  const create = makerOf(await importPackage(file), kind.create);
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

/** The function of a package that makes a provider. */
function makerOf(exported: Readonly<Record<string, unknown>>, name: string | undefined): unknown {
  if (name !== undefined) return exported[name];
  const made = Object.keys(exported).filter((one) => /^create[A-Z]/.test(one));
  return made.length === 1 ? exported[made[0] ?? ''] : undefined;
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
