import { exitCodeOf, explainFailure } from '../render/explain-failure.js';
import { clientOf, findServer, type FoundServer } from '../server/find-server.js';
import { parseCall, serverOptions, UsageError } from '../arguments.js';
import { printTurn } from '../render/render-turn.js';
import { openScreen, reportRetries } from '../terminal/screen.js';

/**
 * `turnpike tail TURN`: prints a turn that runs or ran, from its start or after an event. Ctrl-C ends the
 * command, not the turn.
 *
 * @returns the turn's exit code; 1 when the turn cannot be followed; 2 for a wrong call.
 */
export async function tailCommand(
  args: readonly string[],
  environment: Record<string, string | undefined>,
): Promise<number> {
  let server: FoundServer | undefined;
  try {
    const { turnId, after, json, url } = parseArguments(args);
    server = await findServer(environment, { url, orElse: 'refuse' });
    const screen = openScreen(environment, json);
    const client = clientOf(server, reportRetries(screen));
    // Asked first, because following retries: a missing server or turn is reported at once.
    await client.turns.get(turnId);
    return await printTurn(client.follow(turnId, { after }), screen);
  } catch (error) {
    process.stderr.write(`${explainFailure(error)}\n`);
    return exitCodeOf(error);
  } finally {
    await server?.close();
  }
}

function parseArguments(args: readonly string[]): {
  turnId: string;
  after: string | undefined;
  json: boolean;
  url: string | undefined;
} {
  const { values, positionals } = parseCall(args, {
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      after: { type: 'string' },
      ...serverOptions,
    },
  });
  const [turnId, ...more] = positionals;
  if (turnId === undefined || more.length > 0) {
    throw new UsageError(
      'Say which turn: turnpike tail TURN_ID (it is in the last line of a turn).',
    );
  }
  return { turnId, after: values.after, json: values.json, url: values.url };
}
