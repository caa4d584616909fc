import type { TurnpikeClient, WantedReplay } from '../../client/turnpike-client.js';
import { compact } from '../../platform/compact.js';
import { describeComparison } from '../render/describe-comparison.js';
import { printTurn } from '../render/print-turn.js';
import { openScreen, reportRetries, type Screen } from '../terminal/screen.js';
import { askServer } from '../server/ask-server.js';
import { exitCodeOf, explainFailure } from '../render/explain-failure.js';
import { clientOf, findServer } from '../server/find-server.js';
import { parseCall } from '../arguments/parse-call.js';
import { serverOptions } from '../arguments/server-options.js';
import { UsageError } from '../arguments/usage-error.js';

const replayOptions = {
  model: { type: 'string' },
  agent: { type: 'string' },
  tools: { type: 'string' },
  json: { type: 'boolean', default: false },
  ...serverOptions,
} as const;
const replayCall = 'turnpike replay TURN [--model M] [--agent A] [--tools recorded|none]';

const compareOptions = { json: { type: 'boolean', default: false }, ...serverOptions } as const;
const compareCall = 'turnpike compare TURN OTHER';

/**
 * `turnpike replay TURN`: runs an ended turn again on recorded results, prints it as it comes, and then both turns
 * side by side. Ctrl-C ends the command, not the replay.
 *
 * @returns the exit code of the replay; 1 when it was refused or lost; 2 for a wrong call.
 */
export async function replayCommand(
  args: readonly string[],
  environment: Record<string, string | undefined>,
): Promise<number> {
  try {
    const { turnId, wanted, json, url } = parseReplay(args);
    const server = await findServer(environment, { url, orElse: 'refuse' });
    const screen = openScreen(environment, json);
    const client = clientOf(server, reportRetries(screen));
    const replay = await client.turns.replay(turnId, wanted);
    const exitCode = await printTurn(client.follow(replay.turnId), screen);
    await printComparison(client, [turnId, replay.turnId], screen);
    return exitCode;
  } catch (error) {
    process.stderr.write(`${explainFailure(error)}\n`);
    return exitCodeOf(error);
  }
}

/** `turnpike compare TURN OTHER`: prints two turns side by side. @returns the exit code. */
export function compareCommand(
  args: readonly string[],
  environment: Record<string, string | undefined>,
): Promise<number> {
  const parseCompare = () => {
    const { values, positionals } = parseCall(args, {
      options: compareOptions,
      allowPositionals: true,
    });
    const [left, right, ...more] = positionals;
    if (left === undefined || right === undefined || more.length > 0)
      throw new UsageError(compareCall);
    return { ...values, url: values.url, left, right };
  };
  return askServer(environment, parseCompare, async ({ turns }, { left, right, json }) => {
    const comparison = await turns.compare(left, right);
    return json ? [JSON.stringify(comparison)] : describeComparison(comparison);
  });
}

/** The reply alone is on standard output, unless all of it is JSON. */
async function printComparison(
  client: TurnpikeClient,
  [left, right]: readonly [string, string],
  screen: Screen,
): Promise<void> {
  const comparison = await client.turns.compare(left, right);
  if (screen.json) return screen.out(`${JSON.stringify(comparison)}\n`);
  screen.err(`${describeComparison(comparison).join('\n')}\n`);
}

/** @throws UsageError. */
function parseReplay(args: readonly string[]) {
  const { values, positionals } = parseCall(args, {
    options: replayOptions,
    allowPositionals: true,
  });
  const [turnId, ...more] = positionals;
  if (turnId === undefined || more.length > 0) throw new UsageError(replayCall);
  const { model, agent, tools, json, url } = values;
  const wanted: WantedReplay = compact({ model, agent, tools: parseTools(tools) });
  return { turnId, wanted, json, url };
}

function parseTools(given: string | undefined): WantedReplay['tools'] {
  if (given === undefined || given === 'recorded' || given === 'none') return given;
  throw new UsageError(`--tools is recorded or none. ${replayCall}`);
}
