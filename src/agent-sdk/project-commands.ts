import type { TurnOptions, TurnpikeClient } from '../client/turnpike-client.js';
import type { QueryPlan } from './plan-query.js';

/** The name that prompts of the session's project have in the place of an MCP server's. */
const PROJECT = 'project';

interface Command {
  name: string;
}

/** The commands of a session's project; none where it takes no files of it. */
export async function commandsOf(
  client: TurnpikeClient,
  sessionId: string,
  { session }: Pick<QueryPlan, 'session'>,
): Promise<Command[]> {
  if (session.projectFiles === undefined) return [];
  const prompts = await client.sessions.prompts(sessionId);
  return prompts.filter(({ server }) => server === PROJECT);
}

/** A message `/name and more` as the command of the project that it names; undefined: it names none. */
export async function commandIn(
  client: TurnpikeClient,
  sessionId: string,
  { plan, message }: { plan: Pick<QueryPlan, 'session'>; message: string },
): Promise<TurnOptions['prompt'] | undefined> {
  const [, name, given = ''] = /^\/([\w-]+)(?:\s+([\s\S]*))?$/.exec(message.trim()) ?? [];
  if (name === undefined) return undefined;
  const commands = await commandsOf(client, sessionId, plan);
  if (!commands.some((one) => one.name === name)) return undefined;
  const args = given === '' ? {} : { arguments: { arguments: given } };
  return { server: PROJECT, name, ...args };
}
