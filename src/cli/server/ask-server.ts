import type { TurnpikeClient } from '../../client/turnpike-client.js';
import { exitCodeOf, explainFailure } from '../render/explain-failure.js';
import { clientOf, findServer } from './find-server.js';

/**
 * Asks the server that is found, and prints the answer, a line each. Never starts a server: a new one would have
 * nothing to answer with.
 *
 * @param parse parses the call. @throws UsageError
 * @param act gives the lines.
 * @returns the exit code: 0; 1 when the server refused or none runs; 2 for a wrong call.
 */
export async function askServer<Wanted extends { url: string | undefined; json: boolean }>(
  environment: Record<string, string | undefined>,
  parse: () => Wanted,
  act: (client: TurnpikeClient, wanted: Wanted) => Promise<readonly string[]>,
): Promise<number> {
  try {
    const wanted = parse();
    const server = await findServer(environment, { url: wanted.url, orElse: 'refuse' });
    const lines = await act(clientOf(server), wanted);
    for (const line of lines) process.stdout.write(`${line}\n`);
    if (lines.length === 0 && !wanted.json) process.stderr.write('There are none.\n');
    return 0;
  } catch (error) {
    process.stderr.write(`${explainFailure(error)}\n`);
    return exitCodeOf(error);
  }
}
