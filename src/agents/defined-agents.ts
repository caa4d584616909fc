import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError, type Config } from '../config/config.js';
import { isWithin } from '../platform/is-within.js';
import { ExtensionError } from '../tools/extensions/extension-shapes.js';
import { importDefault } from '../tools/extensions/load-extensions.js';
import { namesIn, type DefinedAgent } from './agent-files.js';
import { AgentsInvalidError } from './check-agents.js';
import type { AgentDefinition } from './define-agent.js';
import { parseDefinition } from './parse-agent-file.js';
import { canonicalPersonaName, isPersonaName, personaOfFile } from './persona-name.js';

/** Agents in TypeScript: of files beside the Markdown agents, and of a host application. */

/** Injects the agents of a host application; without a host there is no such provider. */
export const HOST_AGENTS = Symbol('HostAgents');

const SOURCE = 'TURNPIKE_INSTRUCTION_ROOT';

/** Files that are agents; tests, declarations and files that begin with `_` are not. */
const agentFile = /^(?!_)(?<stem>[^.]+)\.(?:ts|mts|js|mjs)$/;

const nameRule = 'a name is 1 to 64 letters, digits, "_" or "-"';

/**
 * Loads the agents of an instruction root that are modules. They have all rights of this process.
 *
 * @throws ConfigError where agents could write them; ExtensionError for the first that cannot be loaded.
 */
export async function loadDefinedAgents(
  config: Pick<Config, 'instructionRoot' | 'projectsDir' | 'projectRoot' | 'projectRoots'>,
): Promise<DefinedAgent[]> {
  const folder = path.join(config.instructionRoot, 'agents');
  const names = (await namesIn(folder)).filter((name) => agentFile.test(name)).toSorted();
  if (names.length === 0) return [];
  refuseWhereAgentsWrite(config, names);
  const root = await realpath(config.instructionRoot);
  const found: DefinedAgent[] = [];
  for (const file of names) {
    const place = path.join(folder, file);
    const name = personaOfFile(`${agentFile.exec(file)?.groups?.['stem'] ?? ''}.md`);
    if (name === undefined) {
      throw new ExtensionError(
        SOURCE,
        place,
        `${nameRule}: rename it, or begin with _ if it is no agent`,
      );
    }
    // A link could lead to a place where an agent writes.
    if (!isWithin(root, await realpath(place))) {
      throw new ExtensionError(SOURCE, place, 'it is a link to a file outside of the folder');
    }
    const agent = parseDefinition(await importDefault(SOURCE, place));
    found.push({ name, file: `agents/${file}`, agent });
  }
  return found;
}

/** The agents that a host application gives. @throws AgentsInvalidError for one without a name. */
export function agentsOfHost(given: readonly AgentDefinition[]): DefinedAgent[] {
  return given.map((definition, index) => {
    const { name } = definition;
    if (name === undefined || !isPersonaName(name)) {
      const message = `name must be that of the agent: ${nameRule}`;
      throw new AgentsInvalidError([{ file: `createTurnpike.agents[${index}]`, line: 0, message }]);
    }
    const file = `createTurnpike.agents.${name}`;
    return { name: canonicalPersonaName(name), file, agent: parseDefinition(definition) };
  });
}

function refuseWhereAgentsWrite(
  {
    instructionRoot,
    projectsDir,
    projectRoot,
    projectRoots,
  }: Parameters<typeof loadDefinedAgents>[0],
  [file = '']: readonly string[],
): void {
  const written = [projectsDir, projectRoot, ...projectRoots].filter((one) => one !== undefined);
  const folder = written.find((one) => isWithin(one, instructionRoot));
  if (folder === undefined) return;
  throw new ConfigError([
    `TURNPIKE_INSTRUCTION_ROOT is ${JSON.stringify(instructionRoot)} and has agents/${file}; agents write in ${folder}, and would write code with the rights of the server: name a folder elsewhere, or write this agent in Markdown`,
  ]);
}
