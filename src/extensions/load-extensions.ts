import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Extension } from '../extend/extend.js';
import { settlesWithin } from '../platform/async/settles-within.js';
import { ExtensionError } from './extension-error.js';
import { openRegistrar, type Registries } from './registrar.js';

/** Time limit for an extension to register, in ms. */
const REGISTER_MS = 30_000;

/**
 * Loads the modules of `TURNPIKE_EXTENSIONS` and lets each register its additions, one after the other.
 * Extensions have all rights of this process.
 *
 * @param names files (`./x.mjs`, `/x.mjs`, `file:` URLs; relative to the working directory), or packages
 *   installed beside the server.
 * @throws ExtensionError for the first module that cannot be loaded, or registers something invalid.
 */
export async function loadExtensions(
  names: readonly string[],
  registries: Registries,
): Promise<void> {
  for (const name of names) {
    const extension = await loadModule(name);
    const { turnpike, close } = openRegistrar(name, registries);
    try {
      const registering = Promise.resolve(extension(turnpike));
      if (!(await settlesWithin(REGISTER_MS, registering))) {
        throw new Error(`it was not done registering after ${REGISTER_MS / 1_000} seconds`);
      }
    } catch (error) {
      throw new ExtensionError(name, messageOf(error), error);
    } finally {
      close();
    }
    registries.logger.info({ extension: name }, 'an extension is loaded');
  }
}

async function loadModule(name: string): Promise<Extension> {
  let module: { default?: unknown };
  try {
    module = (await import(toSpecifier(name))) as { default?: unknown };
  } catch (error) {
    throw new ExtensionError(name, `it cannot be loaded: ${messageOf(error)}`, error);
  }
  if (typeof module.default === 'function') return module.default as Extension;
  throw new ExtensionError(
    name,
    'its default export must be a function, as `export default (turnpike) => {…}`',
  );
}

function toSpecifier(name: string): string {
  const isFile = path.isAbsolute(name) || /^\.{1,2}[\\/]/.test(name);
  return isFile ? pathToFileURL(path.resolve(name)).href : name;
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  // The message becomes a clause of a longer sentence.
  return message.trim().replace(/\.$/, '');
}

/** Injects the names of the extensions, once each has registered its additions. */
export const EXTENSIONS = Symbol('Extensions');
