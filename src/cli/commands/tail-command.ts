import { clientOf, type FoundServer } from '../server/find-server.js';
import { runOnServer } from '../server/run-on-server.js';
import { parseCall, serverOptions, UsageError } from '../arguments.js';
import { printTurn } from '../render/render-turn.js';
import { openScreen, reportRetries } from '../terminal/screen.js';

/**
 * `turnpike tail TURN`: prints a turn that runs or ran, from its start or after an event. Ctrl-C ends the
 * command, not the turn.
 *
 * @returns the turn's exit code; 1 when the turn cannot be followed; 2 for a wrong call.
 */
export function tailCommand(
  args: readonly string[],
  environment: Record<string, string | undefined>,
): Promise<number> {
  return runOnServer(environment, () => {
    const { turnId, after, json, url } = parseArguments(args);
    const run = async (server: FoundServer): Promise<number> => {
      const screen = openScreen(environment, json);
      const client = clientOf(server, reportRetries(screen));
      // Asked first, because following retries: a missing server or turn is reported at once.
      await client.turns.get(turnId);
      return printTurn(client.follow(turnId, { after }), screen);
    };
    return { url, run };
  });
}

/** @throws UsageError. */
function parseArguments(args: readonly string[]) {
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
  return { ...values, turnId };
}
