import type { TurnRecord } from '#src/client/turnpike-client.js';
import { costOf } from '#src/governance/limits/cost.js';
import { formatCount, formatDuration } from '../../components/format.js';
import type { Timeline } from './build-timeline.js';

interface Budget {
  label: string;
  used: number;
  limit: number;
  words: string;
}

/** The usage of the turn's limits. */
export function Budgets({ timeline, turn }: { timeline: Timeline; turn: TurnRecord }) {
  return (
    <div className="grid gap-x-8 gap-y-4 rounded-xl border border-line bg-panel p-4 sm:grid-cols-2">
      {budgetsOf(timeline, turn).map((budget) => (
        <BudgetBar key={budget.label} {...budget} />
      ))}
    </div>
  );
}

function BudgetBar({ label, used, limit, words }: Budget) {
  const percent = limit === 0 ? 0 : Math.min(100, (used * 100) / limit);
  const colour = percent >= 100 ? 'bg-bad' : percent >= 80 ? 'bg-amber-line' : 'bg-accent';
  return (
    <div>
      <div className="mb-1 flex items-baseline justify-between gap-3 text-xs">
        <span className="font-medium">{label}</span>
        <span className="text-muted tabular-nums">{words}</span>
      </div>
      <div
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(used, limit)}
        aria-valuetext={words}
        className="h-2 overflow-hidden rounded-full bg-sunken"
      >
        <span className={`block h-full rounded-full ${colour}`} style={{ width: `${percent}%` }} />
      </div>
    </div>
  );
}

/** The server's value for no limit. */
function isUnlimited(limit: number): boolean {
  return limit >= Number.MAX_SAFE_INTEGER;
}

function budgetsOf(timeline: Timeline, { options, usage: ended }: TurnRecord): Budget[] {
  const { tokenBudget, maxIterations, timeoutSeconds } = options.agentConfig;
  const usage = ended ?? timeline.usage;
  // The tokens that the budget counts; unknown for running turns and those of earlier versions.
  const tokens = usage.addedTokens ?? usage.inputTokens + usage.outputTokens;
  const iterations = timeline.modelCalls;
  const elapsedMs = timeline.endMs - timeline.startMs - timeline.waitedMs;
  const all: Budget[] = [
    {
      label: 'Token limit',
      used: tokens,
      limit: tokenBudget,
      words: `${formatCount(tokens)} of ${formatCount(tokenBudget)}`,
    },
    {
      label: 'Model calls',
      used: iterations,
      limit: maxIterations,
      words: `${iterations} of ${maxIterations}`,
    },
    {
      label: 'Time',
      used: elapsedMs / 1_000,
      limit: timeoutSeconds,
      words: `${formatDuration(elapsedMs)} of ${formatDuration(timeoutSeconds * 1_000)}`,
    },
  ];
  const limited = all.filter(({ limit }) => !isUnlimited(limit));
  const { costLimit } = options;
  if (costLimit === undefined) return limited;
  const cost = costOf(usage, costLimit.price);
  const words = `$${cost.toFixed(4)} of $${costLimit.usd}`;
  return [...limited, { label: 'Cost', used: cost, limit: costLimit.usd, words }];
}
