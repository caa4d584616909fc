import type { TurnComparison } from '../../client/turnpike-client.js';
import { oneLine } from '../terminal/plain-text.js';

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
