import type { DayOfUsage } from '#src/client/turnpike-client.js';
import { formatShort, formatUsd } from '../../components/format.js';
import type { UsageField } from './usage-range.js';

/** Colours of the largest parts, in their order; the rest is grey. */
const colours = ['bg-accent', 'bg-good', 'bg-amber-line', 'bg-bad', 'bg-accent/45', 'bg-good/45'];
const REST = 'bg-line-strong';

interface Part {
  name: string;
  colour: string;
  total: number;
}

/** A bar for each day of a range, in parts by what usage is told apart by. */
export function UsageChart({
  days,
  all,
  by,
  what,
}: {
  /** Every day of the range, the oldest first. */
  days: readonly string[];
  all: readonly DayOfUsage[];
  by: UsageField;
  what: 'usd' | 'tokens';
}) {
  const nameOf = (day: DayOfUsage): string => day[by] ?? '';
  const parts = partsOf(all, nameOf, what);
  const word = what === 'usd' ? formatUsd : formatShort;
  const sums = days.map((day) =>
    sum(
      all.filter((one) => one.day === day),
      what,
    ),
  );
  const top = Math.max(...sums, 0);
  if (top === 0) {
    return (
      <p className="mb-6 rounded-xl border border-line bg-panel px-4 py-8 text-center text-sm text-muted">
        {what === 'usd' ? 'Nothing was spent' : 'No tokens were used'} in these days.
      </p>
    );
  }
  return (
    <figure className="mb-6 rounded-xl border border-line bg-panel p-4">
      <div
        role="img"
        aria-label={`${what === 'usd' ? 'Cost' : 'Tokens'} of ${days.length} days by ${by}; the highest day has ${word(top)}`}
        className="flex h-40 items-end gap-px border-b border-line sm:gap-0.5"
      >
        {days.map((day, index) => (
          <div
            key={day}
            title={titleOf(day, { parts, word, valueOf: valueOn(all, nameOf, what, day) })}
            className="flex h-full min-w-0 flex-1 flex-col-reverse hover:opacity-80"
          >
            {(sums[index] ?? 0) > 0 &&
              parts.map(({ name, colour }) => (
                <span
                  key={name}
                  className={colour}
                  style={{
                    height: `${(valueOn(all, nameOf, what, day)(name) * 100) / Math.max(top, Number.MIN_VALUE)}%`,
                  }}
                />
              ))}
          </div>
        ))}
      </div>
      <div className="mt-1 flex justify-between text-xs text-muted tabular-nums">
        <span>{days[0]}</span>
        <span>top {word(top)}</span>
        <span>{days.at(-1)}</span>
      </div>
      <ul className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-xs">
        {parts.map(({ name, colour, total }) => (
          <li key={name} className="flex min-w-0 items-center gap-1.5">
            <span aria-hidden className={`size-2.5 shrink-0 rounded-sm ${colour}`} />
            <span className="truncate">{name === '' ? 'none' : name}</span>
            <span className="text-muted tabular-nums">{word(total)}</span>
          </li>
        ))}
      </ul>
    </figure>
  );
}

/** The names of a list by what they sum up to, the largest first; all share their colours. Pure. */
function partsOf(
  all: readonly DayOfUsage[],
  nameOf: (day: DayOfUsage) => string,
  what: 'usd' | 'tokens',
): Part[] {
  const totals = new Map<string, number>();
  for (const day of all) totals.set(nameOf(day), (totals.get(nameOf(day)) ?? 0) + day[what]);
  return [...totals]
    .sort(([, a], [, b]) => b - a)
    .map(([name, total], index) => ({ name, total, colour: colours[index] ?? REST }));
}

function valueOn(
  all: readonly DayOfUsage[],
  nameOf: (day: DayOfUsage) => string,
  what: 'usd' | 'tokens',
  day: string,
): (name: string) => number {
  return (name) =>
    sum(
      all.filter((one) => one.day === day && nameOf(one) === name),
      what,
    );
}

function titleOf(
  day: string,
  {
    parts,
    word,
    valueOf,
  }: { parts: readonly Part[]; word: (value: number) => string; valueOf: (name: string) => number },
): string {
  const lines = parts
    .map(({ name }) => ({ name, value: valueOf(name) }))
    .filter(({ value }) => value > 0)
    .map(({ name, value }) => `${name === '' ? 'none' : name}: ${word(value)}`);
  return [day, ...lines].join('\n');
}

function sum(days: readonly DayOfUsage[], what: 'usd' | 'tokens'): number {
  return days.reduce((total, day) => total + day[what], 0);
}
