import { formatCount, formatShort } from '../../components/format.js';
import type { Timeline } from './build-timeline.js';

/** A chart of the context's tokens after each step, of which there is one at least. */
export function ContextChart({ timeline }: { timeline: Timeline }) {
  const { steps, contextWindow } = timeline;
  const highest = Math.max(...steps.map(({ contextTokens }) => contextTokens), 1);
  // Scaled to the window only where the steps come near it: a small turn would be a flat line.
  const isNearWindow = contextWindow !== undefined && highest > contextWindow / 10;
  const top = isNearWindow ? contextWindow : highest;
  const last = steps.at(-1)?.contextTokens ?? 0;
  const percent = contextWindow === undefined ? undefined : (last * 100) / contextWindow;
  return (
    <figure className="rounded-xl border border-line bg-panel p-4">
      <div
        role="img"
        aria-label={`Tokens of the context after each of ${steps.length} steps; the last has ${formatCount(last)}`}
        className="flex h-24 items-end gap-px border-b border-line"
      >
        {steps.map(({ step, usage, contextTokens }, index) => (
          <div
            key={`${step}-${index}`}
            title={`Step ${step}: ${formatCount(contextTokens)} tokens`}
            className="relative min-w-px max-w-8 flex-1 overflow-hidden rounded-t-sm bg-accent"
            style={{ height: `${Math.max(2, (contextTokens * 100) / top)}%` }}
          >
            <div
              className="absolute inset-x-0 bottom-0 bg-panel/50"
              style={{ height: `${(usage.cacheReadTokens * 100) / Math.max(1, contextTokens)}%` }}
            />
          </div>
        ))}
      </div>
      <figcaption className="mt-2 flex flex-wrap justify-between gap-x-4 text-xs text-muted tabular-nums">
        <span>
          {steps.length === 1 ? '1 step' : `${steps.length} steps`}, top {formatShort(top)}
          {isNearWindow ? ' (the window)' : ''}
        </span>
        <span>
          {formatCount(last)} tokens
          {percent !== undefined &&
            ` · ${percent.toFixed(percent < 10 ? 1 : 0)} % of ${formatShort(contextWindow ?? 0)}`}
        </span>
      </figcaption>
    </figure>
  );
}
