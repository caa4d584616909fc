import { readFileSync } from 'node:fs';
import nodeModule, { type LoadHookContext } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import vm from 'node:vm';
import { isWithin } from '../../platform/is-within.js';
import { packageRoot } from '../../platform/process/package-root.js';

/** How Node loads the operator's modules: the hooks are of the whole process, and are registered once. */

/** Folders of the operator's modules. */
const folders = new Set<string>();

/** Files of those folders in the order in which they were loaded. */
const loaded: string[] = [];

let isRegistered = false;

/**
 * Prepares Node for modules of a folder. They may import `turnpike` where nobody has installed it: they get this
 * server's. A `.ts` or `.js` file with `import` or `export` is a module, whatever `type` its package.json has.
 *
 * @param folder its real path.
 */
export function prepareModules(folder: string): void {
  folders.add(folder);
  if (isRegistered) return;
  isRegistered = true;
  // A package resolves its own name by its own `exports`.
  const ownParent = pathToFileURL(path.join(packageRoot, 'package.json')).href;
  // Looked up when it is called, as an import by name that Node 20 lacks would hide which Node is needed.
  nodeModule.registerHooks({
    resolve: (specifier, context, next) => {
      if (specifier !== 'turnpike' && !specifier.startsWith('turnpike/')) {
        return next(specifier, context);
      }
      try {
        return next(specifier, context);
      } catch (error) {
        try {
          return next(specifier, { ...context, parentURL: ownParent });
        } catch {
          // The fault of the importing module says more.
          throw error;
        }
      }
    },
    load: (url, context, next) => {
      const file = ownFile(url);
      if (file === undefined) return next(url, context);
      loaded.push(file);
      const format = formatOf(file, context);
      return next(url, { ...context, format });
    },
  });
}

/** Files that were loaded since a number of them, the newest first. */
export function loadedSince(count: number): string[] {
  return loaded.slice(count).toReversed();
}

/** How many files were loaded. */
export function countLoaded(): number {
  return loaded.length;
}

function ownFile(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined;
  const file = fileURLToPath(url);
  if (file.split(path.sep).includes('node_modules')) return undefined;
  return [...folders].some((folder) => isWithin(folder, file)) ? file : undefined;
}

/** Node goes by `type` of package.json alone; without one it parses a file twice and warns. */
function formatOf(file: string, { format }: LoadHookContext): string | undefined {
  const isOpen = format === undefined || format === null || format.startsWith('commonjs');
  if (!isOpen || !/\.(?:ts|js)$/.test(file)) return format ?? undefined;
  const isTypeScript = file.endsWith('.ts');
  if (!hasModuleSyntax(readFileSync(file, 'utf8'), isTypeScript)) return format ?? undefined;
  return isTypeScript ? 'module-typescript' : 'module';
}

function hasModuleSyntax(source: string, isTypeScript: boolean): boolean {
  if (!/^\s*(?:import\b(?!\s*\()|export\b)/m.test(source)) return false;
  if (isTypeScript) return true;
  try {
    // A CommonJS file may have such a line in a text.
    vm.compileFunction(source);
    return false;
  } catch {
    return true;
  }
}
