import type { TurnComparison } from '#src/client/turnpike-client.js';
import { formatCount, formatDuration, formatUsd } from '../../components/format.js';

export type ComparedTurn = TurnComparison['left'];

/** A fact of both turns. */
export interface ComparedFact {
  label: string;
  left: string;
  right: string;
  /** From left to right; empty where one of them is not known. */
  difference: string;
}

/** What people read in place of an agent's name. */
type TitleOf = (agent: string) => string;

type Value = string | number | null;

interface Row {
  label: string;
  value: (turn: ComparedTurn, titleOf: TitleOf) => Value;
  /** The text of a number. Default: a count. */
  format?: (value: number) => string;
}

const rows: readonly Row[] = [
  { label: 'Model', value: ({ model }) => model },
  { label: 'Agent', value: ({ agent }, titleOf) => titleOf(agent) },
  { label: 'Outcome', value: outcomeOf },
  { label: 'Cost', value: ({ costUsd }) => costUsd, format: formatUsd },
  { label: 'Input tokens', value: ({ usage }) => usage?.inputTokens ?? null },
  { label: 'Output tokens', value: ({ usage }) => usage?.outputTokens ?? null },
  { label: 'Cache reads', value: ({ usage }) => usage?.cacheReadTokens ?? null },
  { label: 'Cache writes', value: ({ usage }) => usage?.cacheWriteTokens ?? null },
  { label: 'Model calls', value: ({ steps }) => steps },
  { label: 'Tool calls', value: ({ calls }) => calls },
  { label: 'Calls without a recorded result', value: ({ recorded }) => recorded?.misses ?? null },
  { label: 'Time queued', value: ({ queuedMs }) => queuedMs, format: formatDuration },
  {
    label: 'Time to first token',
    value: ({ firstTokenMs }) => firstTokenMs,
    format: formatDuration,
  },
  { label: 'Duration', value: ({ durationMs }) => durationMs, format: formatDuration },
];

/** The facts of two turns, row by row; rows of which neither knows anything are left out. Pure. */
export function compareFacts(
  { left, right }: TurnComparison,
  titleOf: TitleOf = (agent) => agent,
): ComparedFact[] {
  return rows.flatMap(({ label, value, format = formatCount }) => {
    const [a, b] = [value(left, titleOf), value(right, titleOf)];
    if (a === null && b === null) return [];
    const show = (one: Value): string =>
      one === null ? '–' : typeof one === 'number' ? format(one) : one;
    return [{ label, left: show(a), right: show(b), difference: differenceOf(a, b, format) }];
  });
}

function differenceOf(left: Value, right: Value, format: (value: number) => string): string {
  if (left === null || right === null) return '';
  if (left === right) return 'same';
  if (typeof left !== 'number' || typeof right !== 'number') return 'differs';
  const change = right - left;
  const sign = change > 0 ? '+' : '−';
  const words = `${sign}${format(Math.abs(change))}`;
  if (left === 0) return words;
  return `${words} (${sign}${Math.round((Math.abs(change) / left) * 100)} %)`;
}

function outcomeOf({ status, outcome, reason }: ComparedTurn): string {
  if (outcome === null) return status;
  return reason === null || reason === outcome
    ? outcome
    : `${outcome} (${reason.replaceAll('_', ' ')})`;
}

/** The names of the turns: by their parts where one is a replay of the other. Pure. */
export function sideNames({ left, right }: TurnComparison): { left: string; right: string } {
  if (right.replayOf === left.turnId) return { left: 'Recorded', right: 'Replay' };
  if (left.replayOf === right.turnId) return { left: 'Replay', right: 'Recorded' };
  return { left: 'Left', right: 'Right' };
}

/** Whether a turn goes on. Pure. */
export function isUnended({ outcome }: ComparedTurn): boolean {
  return outcome === null;
}
