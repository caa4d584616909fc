import { assertNever } from '../../platform/assert-never.js';
import type { ListedSession, TurnpikeClient } from '../../client/turnpike-client.js';
import {
  describeListedSkill,
  linesOfTable,
  tableOfAgents,
  tableOfModels,
  tableOfSessions,
  type Table,
} from '../render/describe-listed.js';
import { exitCodeOf, explainFailure } from '../render/explain-failure.js';
import { clientOf, findServer, type FoundServer } from '../server/find-server.js';
import { parseCall } from '../arguments/parse-call.js';
import { serverOptions } from '../arguments/server-options.js';
import { UsageError } from '../arguments/usage-error.js';

export type ListName = 'sessions' | 'agents' | 'models' | 'skills';

/**
 * `turnpike sessions`, `turnpike agents`, `turnpike models` and `turnpike skills`: one line each, or one line of
 * JSON with `--json`.
 *
 * @returns the exit code: 0; 1 when the server cannot be asked; 2 for a wrong call.
 */
export async function listCommand(
  what: ListName,
  args: readonly string[],
  environment: Record<string, string | undefined>,
): Promise<number> {
  let server: FoundServer | undefined;
  try {
    const { url, ...options } = parseArguments(what, args);
    server = await findServer(environment, { url, orElse: 'refuse' });
    const lines = await linesOf(what, clientOf(server), options);
    for (const line of lines) process.stdout.write(`${line}\n`);
    if (lines.length === 0 && !options.json) process.stderr.write(`There are no ${what}.\n`);
    return 0;
  } catch (error) {
    process.stderr.write(`${explainFailure(error)}\n`);
    return exitCodeOf(error);
  } finally {
    await server?.close();
  }
}

interface ListOptions {
  json: boolean;
  /** The most sessions to list. */
  limit: number;
  /** The agent, or the session, whose skills are listed. */
  agent: string | undefined;
  session: string | undefined;
}

interface ListArguments extends ListOptions {
  url: string | undefined;
}

function linesOf(
  what: ListName,
  client: TurnpikeClient,
  { json, limit, ...of }: ListOptions,
): Promise<string[]> {
  switch (what) {
    case 'sessions':
      return sessionLines(client, limit, json);
    case 'agents':
      return agentLines(client, json);
    case 'models':
      return modelLines(client, json);
    case 'skills':
      return skillLines(client, of, json);
    default:
      return assertNever(what);
  }
}

async function sessionLines(
  client: TurnpikeClient,
  limit: number,
  json: boolean,
): Promise<string[]> {
  const sessions: ListedSession[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.sessions.list({
      cursor,
      limit: Math.min(200, limit - sessions.length),
    });
    sessions.push(...page.sessions);
    cursor = page.nextCursor;
  } while (cursor !== undefined && sessions.length < limit);
  return show(sessions, json, tableOfSessions);
}

async function agentLines(client: TurnpikeClient, json: boolean): Promise<string[]> {
  return show(await client.agents(), json, tableOfAgents);
}

async function modelLines(client: TurnpikeClient, json: boolean): Promise<string[]> {
  const { models, defaultModel } = await client.models();
  return show(models, json, (listed) => tableOfModels(listed, defaultModel));
}

function show<One>(
  listed: readonly One[],
  json: boolean,
  tableOf: (all: readonly One[]) => Table,
): string[] {
  if (json) return listed.map((one) => JSON.stringify(one));
  if (listed.length === 0) return [];
  const { isTTY, columns } = process.stdout;
  // A terminal that does not know its width says 0.
  return linesOfTable(tableOf(listed), isTTY ? columns || 80 : undefined);
}

async function skillLines(
  client: TurnpikeClient,
  { agent, session }: Pick<ListOptions, 'agent' | 'session'>,
  json: boolean,
): Promise<string[]> {
  const skills =
    session === undefined ? await client.skills({ agent }) : await client.sessions.skills(session);
  return skills.flatMap((one) => (json ? [JSON.stringify(one)] : describeListedSkill(one)));
}

function parseArguments(what: ListName, args: readonly string[]): ListArguments {
  const { values } = parseCall(args, {
    options: {
      json: { type: 'boolean', default: false },
      limit: { type: 'string' },
      agent: { type: 'string' },
      session: { type: 'string' },
      ...serverOptions,
    },
  });
  if (what !== 'sessions' && values.limit !== undefined)
    throw new UsageError('--limit goes with sessions');
  const { agent, session } = values;
  if (what !== 'skills' && (agent ?? session) !== undefined)
    throw new UsageError('--agent and --session go with skills');
  if (agent !== undefined && session !== undefined)
    throw new UsageError('name an agent or a session, not both');
  const limit = Number(values.limit ?? 20);
  if (!Number.isInteger(limit) || limit < 1)
    throw new UsageError('--limit takes a whole number from 1');
  return { json: values.json, limit, agent, session, url: values.url };
}
