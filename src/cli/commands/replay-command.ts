import type { TurnpikeClient, WantedReplay, TurnComparison } from '../../client/turnpike-client.js';
import { compact } from '../../platform/compact.js';
import { printTurn } from '../render/render-turn.js';
import { openScreen, reportRetries, type Screen, oneLine } from '../terminal/screen.js';
import { clientOf, type FoundServer } from '../server/find-server.js';
import { askServer, runOnServer } from '../server/run-on-server.js';
import { parseCall, serverOptions, UsageError } from '../arguments.js';

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
export function replayCommand(
  args: readonly string[],
  environment: Record<string, string | undefined>,
): Promise<number> {
  return runOnServer(environment, () => {
    const { turnId, wanted, json, url } = parseReplay(args);
    const run = async (server: FoundServer): Promise<number> => {
      const screen = openScreen(environment, json);
      const client = clientOf(server, reportRetries(screen));
      const replay = await client.turns.replay(turnId, wanted);
      const exitCode = await printTurn(client.follow(replay.turnId), screen);
      await printComparison(client, [turnId, replay.turnId], screen);
      return exitCode;
    };
    return { url, run };
  });
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

type Side = TurnComparison['left'];
type Aligned = TurnComparison['tools'][number];

const INPUT_CHARS = 60;

/** Two turns side by side: a line for each fact, then one for each tool call. Pure. */
export function describeComparison({ left, right, tools }: TurnComparison): string[] {
  const facts = rows.map(([name, show]) => [name, show(left), show(right)] as const);
  const width = Math.max(...facts.map(([, one]) => one.length));
  return [
    ...facts.map(([name, one, other]) => `${name.padEnd(8)}  ${one.padEnd(width)}  ${other}`),
    ...tools.map(describeCalls),
  ];
}

const rows: readonly (readonly [string, (side: Side) => string])[] = [
  ['turn', ({ turnId }) => turnId],
  ['model', ({ model }) => oneLine(model, INPUT_CHARS)],
  ['agent', ({ agent }) => oneLine(agent, INPUT_CHARS)],
  ['outcome', ({ status, outcome, reason }) => `${outcome ?? status} ${reason ?? ''}`.trim()],
  ['tokens', ({ usage }) => tokensOf(usage)],
  ['cost', ({ costUsd }) => (costUsd === null ? '-' : `$${costUsd.toFixed(4)}`)],
  ['queued', ({ queuedMs }) => milliseconds(queuedMs)],
  ['first', ({ firstTokenMs }) => milliseconds(firstTokenMs)],
  ['took', ({ durationMs }) => milliseconds(durationMs)],
  ['steps', ({ steps }) => String(steps)],
  ['calls', ({ calls, recorded }) => `${calls}${describeRecorded(recorded)}`],
  ['text', ({ text }) => `${text.length} characters`],
];

function tokensOf(usage: Side['usage']): string {
  if (usage === null) return '-';
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  return `${inputTokens + cacheReadTokens + cacheWriteTokens} in, ${outputTokens} out`;
}

function milliseconds(ms: number | null): string {
  return ms === null ? '-' : `${ms} ms`;
}

function describeRecorded(recorded: Side['recorded']): string {
  return recorded === undefined ? '' : ` (${recorded.hits} recorded, ${recorded.misses} missed)`;
}

const marks = { same: '=', changed: '~', onlyLeft: '<', onlyRight: '>' } as const;

function describeCalls({ kind, left, right }: Aligned): string {
  const shown = [left, kind === 'same' ? undefined : right].flatMap((call) =>
    call === undefined ? [] : [`${oneLine(call.name, INPUT_CHARS)} ${inputOf(call.input)}`],
  );
  const missed = right?.result === 'missed' || left?.result === 'missed' ? ' (missed)' : '';
  return `${marks[kind]} ${shown.join(' -> ')}${missed}`;
}

function inputOf(input: object): string {
  return oneLine(JSON.stringify(input), INPUT_CHARS);
}
