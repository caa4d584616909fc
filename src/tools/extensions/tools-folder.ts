import { readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { isWithin } from '../../platform/is-within.js';
import { ExtensionError, type ExtensionSource } from './extension-shapes.js';
import type { ExtensionTool } from './extend.js';
import { importDefault, registerExtension, type Registries } from './load-extensions.js';

const SOURCE = 'TURNPIKE_TOOLS_DIR';

/** Files that are tools; tests, declarations and files that begin with `_` are not. */
const toolFile = /^(?!_)(?<name>[^.]+)\.(?:ts|mts|js|mjs)$/;

/**
 * Loads the tools of `TURNPIKE_TOOLS_DIR`, one a file, with the name of its file. They have all rights of this process.
 *
 * @param written folders that agents write in. The configuration has compared their names; links lead elsewhere.
 * @throws ExtensionError for the first file that cannot be loaded, or is no tool, and for a folder that agents write.
 */
export async function loadToolsFolder(
  folder: string,
  registries: Registries,
  written: readonly string[] = [],
): Promise<void> {
  await refuseWrittenFolder(folder, written);
  const tools = await readToolsFolder(folder, registries);
  registries.logger.info(
    { folder, tools: tools.map(({ name }) => name) },
    'loaded the tools of a folder',
  );
}

async function refuseWrittenFolder(folder: string, written: readonly string[]): Promise<void> {
  // What is not there yet is made later, where its name says.
  const places = [folder, ...written].map((place) =>
    realpath(place).catch(() => path.resolve(place)),
  );
  const [real = folder, ...others] = await Promise.all(places);
  const found = others.find((one) => isWithin(one, real));
  if (found === undefined) return;
  throw new ExtensionError(
    SOURCE,
    folder,
    `it leads to ${real}, where agents write in ${found} and would write tools with the rights of the server: name a folder elsewhere`,
  );
}

/**
 * Registers the tools of a folder. @param source what names the folder. @returns them as their files have them.
 * @throws ExtensionError.
 */
export async function readToolsFolder(
  folder: string,
  registries: Registries,
  source: ExtensionSource = SOURCE,
): Promise<ExtensionTool[]> {
  const root = await realpath(folder).catch((error: unknown) => {
    throw new ExtensionError(source, folder, 'there is no such folder', {
      cause: error,
      remedy:
        'Make it, or name another one: a relative path is from the folder that the server starts in.',
    });
  });
  const names = (await readdir(root)).filter((name) => toolFile.test(name)).toSorted();
  const tools: ExtensionTool[] = [];
  for (const name of names) {
    const file = path.join(folder, name);
    // A link could lead to a place where an agent writes.
    if (!isWithin(root, await realpath(path.join(root, name)))) {
      throw new ExtensionError(source, file, 'it is a link to a file outside of the folder');
    }
    const tool = nameTool(source, file, await importDefault(source, file));
    await registerExtension(source, file, (turnpike) => turnpike.addTool(tool), registries);
    tools.push(tool);
  }
  return tools;
}

/** What says that an object is meant as a tool, however much of one is missing. */
const ofTools = ['run', 'description', 'inputSchema'];

function nameTool(source: ExtensionSource, file: string, exported: unknown): ExtensionTool {
  const name = toolFile.exec(path.basename(file))?.groups?.['name'] ?? '';
  if (
    typeof exported !== 'object' ||
    exported === null ||
    !ofTools.some((field) => field in exported)
  ) {
    throw new ExtensionError(
      source,
      file,
      'its default export must be a tool, as `export default defineTool({…})`',
    );
  }
  // What is registered is checked.
  const tool = exported as ExtensionTool & { name?: string };
  if (tool.name !== undefined && tool.name !== name) {
    throw new ExtensionError(
      source,
      file,
      `its tool is called ${tool.name}; a tool has the name of its file, so leave the name out or rename the file`,
    );
  }
  return { ...tool, name };
}
