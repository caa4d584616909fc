import type { Page, TurnpikeClient } from '../../client/turnpike-client.js';
import { exitCodeOf, explainFailure } from '../render/explain-failure.js';
import { clientOf, findServer, type FindOptions, type FoundServer } from './find-server.js';

type Environment = Record<string, string | undefined>;

/** A command that a server answers. */
export interface ServerCommand extends Partial<FindOptions> {
  /** @returns the exit code. */
  run(server: FoundServer): Promise<number>;
}

/**
 * Runs a command on the server that is found, and says why it failed. Starts no server unless `orElse` says so: a
 * new one has nothing to answer with.
 *
 * @param parse parses the command's arguments; it may throw UsageError.
 * @returns the exit code: the command's; 1 when it failed; 2 for a wrong call.
 */
export async function runOnServer(
  environment: Environment,
  parse: () => ServerCommand | Promise<ServerCommand>,
): Promise<number> {
  let server: FoundServer | undefined;
  try {
    const { url, orElse = 'refuse', run } = await parse();
    server = await findServer(environment, { url, orElse });
    return await run(server);
  } catch (error) {
    process.stderr.write(`${explainFailure(error)}\n`);
    return exitCodeOf(error);
  } finally {
    await server?.close();
  }
}

/**
 * Asks the server that is found, and prints the answer, a line each.
 *
 * @param none what is said in place of an answer without lines.
 * @returns the exit code, as of `runOnServer`.
 */
export function askServer<Wanted extends { url: string | undefined; json: boolean }>(
  environment: Environment,
  parse: () => Wanted,
  act: (client: TurnpikeClient, wanted: Wanted) => Promise<readonly string[]>,
  none = 'There are none.',
): Promise<number> {
  return runOnServer(environment, () => {
    const wanted = parse();
    const run = async (server: FoundServer): Promise<number> => {
      const lines = await act(clientOf(server), wanted);
      for (const line of lines) process.stdout.write(`${line}\n`);
      if (lines.length === 0 && !wanted.json) process.stderr.write(`${none}\n`);
      return 0;
    };
    return { url: wanted.url, run };
  });
}

/** Most entries of a page. */
const PAGE = 200;

/** The first entries of a list, `most` at most, a page at a time. */
export async function listPages<One>(
  most: number,
  load: (page: Page) => Promise<{ listed: readonly One[]; nextCursor?: string }>,
): Promise<One[]> {
  const all: One[] = [];
  let cursor: string | undefined;
  do {
    const page = await load({ cursor, limit: Math.min(PAGE, most - all.length) });
    all.push(...page.listed);
    cursor = page.nextCursor;
  } while (cursor !== undefined && all.length < most);
  return all;
}
