import { readdir, realpath } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { isWithin } from '../../platform/is-within.js';
import { packageRoot } from '../../platform/process/package-root.js';
import { ExtensionError } from './extension-shapes.js';
import type { ExtensionTool } from './extend.js';
import { importDefault, registerExtension, type Registries } from './load-extensions.js';

const SOURCE = 'TURNPIKE_TOOLS_DIR';

/** Files that are tools; tests, declarations and files that begin with `_` are not. */
const toolFile = /^(?!_)(?<name>[^.]+)\.(?:ts|mts|js|mjs)$/;

/**
 * Loads the tools of `TURNPIKE_TOOLS_DIR`, one a file, with the name of its file. They have all rights of this process.
 *
 * @throws ExtensionError for the first file that cannot be loaded, or is no tool.
 */
export async function loadToolsFolder(folder: string, registries: Registries): Promise<void> {
  const tools = await readToolsFolder(folder);
  for (const [file, tool] of tools) {
    await registerExtension(SOURCE, file, (turnpike) => turnpike.addTool(tool), registries);
  }
  registries.logger.info(
    { folder, tools: [...tools.values()].map(({ name }) => name) },
    'loaded the tools of a folder',
  );
}

/** The tools of a folder, by their files. @throws ExtensionError. */
export async function readToolsFolder(folder: string): Promise<Map<string, ExtensionTool>> {
  shareOwnPackage();
  const root = await realpath(folder).catch((error: unknown) => {
    throw new ExtensionError(SOURCE, folder, 'there is no such folder', error);
  });
  const names = (await readdir(root)).filter((name) => toolFile.test(name)).toSorted();
  const tools = new Map<string, ExtensionTool>();
  for (const name of names) {
    const file = path.join(folder, name);
    // A link could lead to a place where an agent writes.
    if (!isWithin(root, await realpath(path.join(root, name)))) {
      throw new ExtensionError(SOURCE, file, 'it is a link to a file outside of the folder');
    }
    tools.set(file, nameTool(file, await importDefault(SOURCE, file)));
  }
  return tools;
}

function nameTool(file: string, exported: unknown): ExtensionTool {
  const name = toolFile.exec(path.basename(file))?.groups?.['name'] ?? '';
  if (typeof exported !== 'object' || exported === null || !('run' in exported)) {
    throw new ExtensionError(
      SOURCE,
      file,
      'its default export must be a tool, as `export default defineTool({…})`',
    );
  }
  // What is registered is checked.
  const tool = exported as ExtensionTool & { name?: string };
  if (tool.name !== undefined && tool.name !== name) {
    throw new ExtensionError(
      SOURCE,
      file,
      `its tool is called ${tool.name}; a tool has the name of its file, so leave the name out or rename the file`,
    );
  }
  return { ...tool, name };
}

let isShared = false;

/** Lets a module of the operator import `turnpike` where nobody has installed it beside the folder: it gets that of this server. */
export function shareOwnPackage(): void {
  if (isShared || typeof registerHooks !== 'function') return;
  isShared = true;
  const own = pathToFileURL(path.join(packageRoot, 'dist/extend/define-agent.js')).href;
  registerHooks({
    resolve: (specifier, context, next) => {
      if (specifier !== 'turnpike') return next(specifier, context);
      try {
        return next(specifier, context);
      } catch {
        return { url: own, shortCircuit: true };
      }
    },
  });
}
