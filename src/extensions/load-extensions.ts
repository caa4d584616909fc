import { existsSync } from 'node:fs';
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
    throw new ExtensionError(name, whyNotLoaded(name, error), error);
  }
  if (typeof module.default === 'function') return module.default as Extension;
  throw new ExtensionError(
    name,
    'its default export must be a function, as `export default (turnpike) => {…}`',
  );
}

function whyNotLoaded(name: string, error: unknown): string {
  const file = toFile(name);
  if (file !== undefined && !existsSync(file)) return `there is no file ${file}`;
  // This version of Node may load some TypeScript; extensions are the same on all that are supported.
  if (/\.[cm]?tsx?$/.test(name)) {
    return 'it is TypeScript, which is not loaded: compile it to JavaScript, and name that file';
  }
  return `it cannot be loaded: ${messageOf(error)}`;
}

function toSpecifier(name: string): string {
  const file = toFile(name);
  return file === undefined ? name : pathToFileURL(file).href;
}

/** The path of a module that is a file; undefined for a package or a URL. */
function toFile(name: string): string | undefined {
  const isFile = path.isAbsolute(name) || /^\.{1,2}[\\/]/.test(name);
  return isFile ? path.resolve(name) : undefined;
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  // The message becomes a clause of a longer sentence.
  return message.trim().replace(/\.$/, '');
}

/** Injects the names of the extensions, once each has registered its additions. */
export const EXTENSIONS = Symbol('Extensions');
