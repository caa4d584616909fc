import type { ReactNode } from 'react';
import type { TurnSummary } from '#src/client/server-types.js';
import {
  allTokens,
  countOf,
  formatCount,
  formatDuration,
  formatShort,
  formatUsd,
} from '../../components/format.js';
import type { Timeline } from './build-timeline.js';

/** What a turn came to: its end, time, tokens with their parts, cost and calls. */
export function TurnFacts({
  timeline: { startMs, endMs, outcome, reason, usage: ofSteps, modelCalls, bars },
  summary,
}: {
  timeline: Timeline;
  summary: TurnSummary | undefined;
}) {
  const usage = summary?.usage ?? ofSteps;
  const tools = summary?.toolCalls ?? bars.filter(({ kind }) => kind === 'tool').length;
  const firstToken = summary?.firstTokenMs ?? null;
  // Why a turn failed is said above.
  const isSaid = reason === undefined || reason === outcome || outcome === 'failed';
  const why = isSaid ? '' : reason.replaceAll('_', ' ');
  return (
    <dl className="mb-6 grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-5">
      <Fact label="Status" value={outcome ?? summary?.status ?? 'running'}>
        {why.toLowerCase()}
      </Fact>
      <Fact label="Time" value={formatDuration(endMs - startMs)}>
        {firstToken !== null && `first token after ${formatDuration(firstToken)}`}
      </Fact>
      <Fact label="Tokens" value={formatShort(allTokens(usage))}>
        {formatCount(usage.inputTokens)} new, {formatCount(usage.cacheReadTokens)} from the cache,{' '}
        {formatCount(usage.cacheWriteTokens)} into it, {formatCount(usage.outputTokens)} written
      </Fact>
      <Fact label="Cost" value={usage.costUsd === undefined ? '–' : formatUsd(usage.costUsd)}>
        {usage.costUsd === undefined && allTokens(usage) > 0 && 'no price is known'}
      </Fact>
      <Fact label="Calls" value={countOf(modelCalls, 'model call')}>
        {countOf(tools, 'tool call')}
      </Fact>
    </dl>
  );
}

function Fact({ label, value, children }: { label: string; value: string; children: ReactNode }) {
  return (
    <div className="min-w-0 rounded-xl border border-line bg-panel px-3 py-2">
      <dt className="text-xs text-muted">{label}</dt>
      <dd className="truncate text-base font-semibold tabular-nums">{value}</dd>
      <dd className="text-xs text-muted tabular-nums empty:hidden">{children}</dd>
    </div>
  );
}
