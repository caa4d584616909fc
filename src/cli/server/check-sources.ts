import path from 'node:path';
import { checkAgents } from '../../agents/check-agents.js';
import { requireFolder } from '../../agents/persona-library.js';
import { loadMcpFile } from '../../tools/mcp/mcp-file.js';
import type { Cli } from '../command.js';
import { loadDefinedAgents } from '../../agents/defined-agents.js';
import type { Config } from '../../config/config.js';
import { compact } from '../../platform/compact.js';
import type { Logger } from '../../platform/logger.js';
import { serverToolNames } from '../../storage/shapes/stored-options.js';
import { ExtensionError } from '../../tools/extensions/extension-shapes.js';
import { registriesForCheck } from '../../tools/extensions/check-registries.js';
import { loadExtensions } from '../../tools/extensions/load-extensions.js';
import type { SourceFault } from '../../tools/extensions/source-faults.js';
import { loadToolsFolder } from '../../tools/extensions/tools-folder.js';

/** The faults and names that a check found. */
export interface CheckedSources {
  faults: SourceFault[];
  /** Names of the operator's own tools, those of extensions included. */
  tools: string[];
}

/**
 * Loads extensions, tools, agents and the list of MCP servers as the start of a server does, without a database. Modules stay loaded: a process
 * checks once.
 *
 * @throws ConfigError where agents could write the files, or the folder of agents is not there; FileInvalidError of the
 *   list of MCP servers.
 */
export async function checkSources(
  config: Config,
  { logger, environment }: { logger: Logger; environment: Cli['environment'] },
): Promise<CheckedSources> {
  const { extensions, toolsDir, instructionRoot, mcpFile } = config;
  const { projectsDir, projectRoot, projectRoots } = config;
  await requireFolder(instructionRoot);
  if (mcpFile !== undefined) await loadMcpFile(mcpFile, environment);
  const registries = registriesForCheck(logger);
  const { tools, trees } = registries;
  const own = (): string[] =>
    tools.list().flatMap(({ name, source }) => (source === 'extension' ? [name] : []));
  try {
    await loadExtensions(extensions, registries);
    const written = [
      projectsDir,
      ...projectRoots,
      ...(projectRoot === undefined ? [] : [projectRoot]),
    ];
    if (toolsDir !== undefined) await loadToolsFolder(toolsDir, registries, written);
    const problems = await checkAgents(instructionRoot, {
      defined: await loadDefinedAgents(config),
      knownTools: [...tools.list(), ...serverToolNames.map((name) => ({ name }))],
      knownTrees: trees.names(),
    });
    const faults = problems.map(({ file, line, message }): SourceFault => ({
      file,
      ...(line === 0 ? {} : { line }),
      message,
    }));
    return { faults, tools: own() };
  } catch (error) {
    if (!(error instanceof ExtensionError)) throw error;
    return { faults: [asFault(error, [toolsDir, instructionRoot])], tools: own() };
  }
}

function asFault(
  { extension, fault, place = { file: extension } }: ExtensionError,
  folders: readonly (string | undefined)[],
): SourceFault {
  const folder = folders.find((one) => one !== undefined && place.file.startsWith(one + path.sep));
  const file = folder === undefined ? place.file : path.relative(path.dirname(folder), place.file);
  const { line, column } = place;
  return { file, message: fault, ...compact({ line, column }) };
}
