import { parseArgs } from 'node:util';
import type { TurnpikeClient } from '../client/turnpike-client.js';
import { describeAgent, describeSession } from './describe-listed.js';
import { exitCodeOf, explainFailure } from './explain-failure.js';
import { clientOf, findServer, type FoundServer } from './find-server.js';
import { UsageError } from './parse-turn-arguments.js';

/**
 * `turnpike sessions` and `turnpike agents`: one line each, or one line of JSON with `--json`.
 *
 * @returns 0; 1 when the server could not be asked; 2 for a wrong call.
 */
export async function listCommand(
  what: 'sessions' | 'agents',
  args: readonly string[],
  environment: Record<string, string | undefined>,
): Promise<number> {
  let server: FoundServer | undefined;
  try {
    const { json, limit } = readArguments(what, args);
    server = await findServer(environment);
    const client = clientOf(server);
    const lines =
      what === 'sessions'
        ? await sessionLines(client, limit, json)
        : await agentLines(client, json);
    for (const line of lines) process.stdout.write(`${line}\n`);
    if (lines.length === 0 && !json) process.stderr.write(`There are no ${what}.\n`);
    return 0;
  } catch (error) {
    process.stderr.write(`${explainFailure(error)}\n`);
    return exitCodeOf(error);
  } finally {
    await server?.close();
  }
}

async function sessionLines(
  client: TurnpikeClient,
  limit: number,
  json: boolean,
): Promise<string[]> {
  const lines: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.sessions.list({ cursor, limit: Math.min(200, limit - lines.length) });
    lines.push(...page.sessions.map((one) => (json ? JSON.stringify(one) : describeSession(one))));
    cursor = page.nextCursor;
  } while (cursor !== undefined && lines.length < limit);
  return lines;
}

async function agentLines(client: TurnpikeClient, json: boolean): Promise<string[]> {
  const agents = await client.agents();
  return agents.map((one) => (json ? JSON.stringify(one) : describeAgent(one)));
}

function readArguments(what: string, args: readonly string[]): { json: boolean; limit: number } {
  const { values } = parseArgs({
    args: [...args],
    options: { json: { type: 'boolean', default: false }, limit: { type: 'string' } },
  });
  if (what === 'agents' && values.limit !== undefined)
    throw new UsageError('--limit goes with sessions');
  const limit = Number(values.limit ?? 20);
  if (!Number.isInteger(limit) || limit < 1)
    throw new UsageError('--limit takes a whole number from 1');
  return { json: values.json, limit };
}
