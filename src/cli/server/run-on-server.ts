import type { Page, TurnpikeClient } from '../../client/turnpike-client.js';
import { subcommand, type Cli, type CliCommand } from '../command.js';
import { printList, type ListShape, type Table } from '../render/table.js';
import { clientOf, findServer, type FindOptions, type FoundServer } from './find-server.js';

/**
 * Runs a command on the server that is found. Starts no server unless `orElse` says so: a new one has nothing to
 * answer with.
 *
 * @param run it returns the exit code of the command.
 */
export async function runOnServer(
  cli: Cli,
  { url, orElse = 'refuse' }: Partial<FindOptions>,
  run: (server: FoundServer) => Promise<number>,
): Promise<void> {
  const server = await findServer(cli.environment, { url, orElse });
  try {
    cli.exitCode = await run(server);
  } finally {
    await server.close();
  }
}

/** How the answers of a server are printed. */
export interface Listing<One> extends ListShape<One> {
  ask(client: TurnpikeClient): Promise<readonly One[]>;
}

/** Asks the server that is found, and prints its answers: as `show` has them, or with `json` a line of JSON each. */
export function listOnServer<One>(
  cli: Cli,
  { url, json }: { url?: string | undefined; json?: boolean | undefined },
  { ask, ...shape }: Listing<One>,
): Promise<void> {
  return runOnServer(cli, { url }, async (server) => {
    printList(cli, { all: await ask(clientOf(server)), json }, shape);
    return 0;
  });
}

/** Adds a subcommand on one thing of the server, without options of its own: `pause <KEY>`. */
export function subcommandOnOne<One>(
  parent: CliCommand,
  cli: Cli,
  {
    usage,
    about,
    ask,
    ...listing
  }: {
    usage: `${string} <${string}>`;
    about: string;
    ask(client: TurnpikeClient, id: string): Promise<One>;
    show(all: readonly One[]): Table | readonly string[];
  },
): void {
  subcommand(parent, usage, about).action((id, options) =>
    listOnServer(cli, options, { ...listing, ask: async (client) => [await ask(client, id)] }),
  );
}

/** Most entries of a page. */
const PAGE = 200;

/**
 * The first entries of a list, `most` at most, a page at a time.
 *
 * @param field the field of a page that has its entries.
 */
export async function listPages<Field extends string, One>(
  most: number,
  field: Field,
  load: (page: Page) => Promise<Record<Field, readonly One[]> & { nextCursor?: string }>,
): Promise<One[]> {
  const all: One[] = [];
  let cursor: string | undefined;
  do {
    const page = await load({ cursor, limit: Math.min(PAGE, most - all.length) });
    all.push(...page[field]);
    cursor = page.nextCursor;
  } while (cursor !== undefined && all.length < most);
  return all;
}
