import { Option } from '@commander-js/extra-typings';
import type { TurnpikeClient, TurnComparison } from '../../client/turnpike-client.js';
import { compact } from '../../platform/compact.js';
import { printTurn } from '../render/print-turn.js';
import { openScreen, reportRetries, type Screen, oneLine } from '../terminal/screen.js';
import { EXIT_WAITING, isAttended, leaveUnanswered } from '../terminal/unattended.js';
import { clientOf } from '../server/find-server.js';
import { listOnServer, runOnServer } from '../server/run-on-server.js';
import { jsonOption, urlOption, type Cli, type CliCommand } from '../command.js';

/**
 * `turnpike replay TURN`: runs an ended turn again on recorded results, prints it as it comes, and then both turns
 * side by side. Ctrl-C ends the command, not the replay. Exit code: that of the replay; 1 when it was refused or lost.
 */
export function replayCommand(command: CliCommand, cli: Cli): void {
  command
    .argument('<TURN>', 'the turn that has ended')
    .option('--model <MODEL>', 'run it with another model')
    .option('--agent <AGENT>', 'run it with another agent')
    .addOption(
      new Option(
        '--tools <HOW>',
        'recorded: answer tool calls with recorded results; none: allow no tool calls',
      ).choices(['recorded', 'none']),
    )
    .addOption(jsonOption)
    .addOption(urlOption)
    .action((turnId, { json, url, ...wanted }) =>
      runOnServer(cli, { url }, async (server) => {
        const screen = openScreen(cli.environment, json === true);
        const client = clientOf(server, reportRetries(screen));
        const replay = await client.turns.replay(turnId, compact(wanted));
        const turn = client.follow(replay.turnId);
        const leave = isAttended(screen) ? undefined : leaveUnanswered(client, turn, { screen });
        const exitCode = await printTurn(turn, screen, compact({ leave }));
        if (exitCode === EXIT_WAITING) return exitCode;
        await printComparison(client, [turnId, replay.turnId], screen);
        return exitCode;
      }),
    );
}

/** `turnpike compare TURN OTHER`: prints two turns side by side. */
export function compareCommand(command: CliCommand, cli: Cli): void {
  command
    .argument('<TURN>')
    .argument('<OTHER>')
    .addOption(jsonOption)
    .addOption(urlOption)
    .action((left, right, options) =>
      listOnServer(cli, options, {
        ask: async ({ turns }) => [await turns.compare(left, right)],
        show: (compared) => compared.flatMap(describeComparison),
      }),
    );
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

type Side = TurnComparison['left'];
type Aligned = TurnComparison['tools'][number];

const INPUT_CHARS = 60;

/** Two turns side by side: a line for each fact, then one for each tool call. Pure. */
function describeComparison({ left, right, tools }: TurnComparison): string[] {
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
