import type { Config } from '../config/config.js';
import { TypedError } from '../errors/typed-error.js';
import { fillPrompt, type ProjectPrompt } from '../project-files/convert-skill.js';
import type { PromptChoice } from '../storage/shapes/stored-options.js';
import type { ListedPrompt } from '../tools/mcp/prompts.js';
import type { SessionRow } from './session-store.js';

/** What `opts.prompt.server` is for a command of the session's project. */
export const PROJECT_SERVER = 'project';

/** Whether a prompt is one of the project, and not of an MCP server. @param config the operator's choice. */
export function isOfProject(
  choice: Pick<PromptChoice, 'server'> | undefined,
  { projectFiles }: Pick<SessionRow, 'projectFiles'>,
  config: Pick<Config, 'projectFiles'>,
): boolean {
  const isOn = config.projectFiles !== 'none' && projectFiles !== null;
  return isOn && choice?.server === PROJECT_SERVER;
}

/** Commands of a project as they are listed beside prompts of MCP servers. */
export function listProjectPrompts(prompts: readonly ProjectPrompt[]): ListedPrompt[] {
  return prompts.map(({ name, description, hint, arguments: names }) => ({
    server: PROJECT_SERVER,
    name,
    title: null,
    description,
    arguments: [
      { name: 'arguments', description: hint ?? null, required: false },
      ...names.map((one) => ({ name: one, description: null, required: false })),
    ],
  }));
}

/**
 * The text of a command with what was given to it: `arguments` is what a person types after its name, or each of its
 * named arguments is given by itself.
 *
 * @throws TypedError MCP_PROMPT_FAILURE for a command or an argument that there is not, naming those there are.
 */
export function getProjectPrompt(
  prompts: readonly ProjectPrompt[],
  { name, arguments: given = {} }: PromptChoice,
): string {
  const found = prompts.find((one) => one.name === name);
  if (found === undefined) {
    throw failure(name, `the project has ${prompts.map((one) => one.name).join(', ') || 'none'}`);
  }
  const { arguments: whole, ...named } = given;
  const odd = Object.keys(named).find((one) => !found.arguments.includes(one));
  if (odd !== undefined) {
    const known = ['arguments', ...found.arguments].join(', ');
    throw failure(name, `it takes no argument ${odd}; it takes ${known}`);
  }
  if (whole !== undefined || Object.keys(named).length === 0) return fillPrompt(found, whole ?? '');
  const words = found.arguments.map((one) => JSON.stringify(named[one] ?? '').slice(1, -1));
  return fillPrompt(found, words.map((word) => `"${word}"`).join(' '));
}

function failure(name: string, why: string): TypedError {
  return new TypedError('MCP_PROMPT_FAILURE', {
    message: `The command ${name} of the project cannot be used: ${why}.`,
    details: { server: PROJECT_SERVER, name },
  });
}
