import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { Square } from 'lucide-react';
import type { TurnRecord } from '#src/client/turnpike-client.js';
import { allTokens, formatDuration, formatShort, formatCount } from '../../components/format.js';
import { client, reportFault } from '../../api/client.js';
import { FaultNote } from '../../components/fault-note.js';
import { Link } from 'wouter';
import { Loading, LoadFault, Page, Section } from '../../components/page.js';
import { useNow } from '../../hooks/use-now.js';
import { useValue } from '../../hooks/value-store.js';
import { Button } from '../../components/button.js';
import { ReplayButton } from '../replay/replay-button.js';
import { Replays } from '../replay/replays.js';
import { Budgets } from './budgets.js';
import { buildTimeline, type Timeline } from './build-timeline.js';
import { RawEvents } from './raw-events.js';
import { TurnLog } from './turn-log.js';
import { Waterfall } from './waterfall.js';

/** A turn's steps, tools and waits over time, with tokens and limits. */
export function TimelinePage({ turnId }: { turnId: string }) {
  const log = useMemo(() => new TurnLog(turnId), [turnId]);
  const { events, isComplete, fault } = useValue(log.state);
  const isOver = events.at(-1)?.type === 'turn.ended';
  const now = useNow(isOver ? 3_600_000 : 500);
  const turn = useQuery({
    // Loaded again at the end of the turn, when its usage is known.
    queryKey: ['turns', turnId, { isOver }],
    queryFn: () => client().turns.get(turnId),
  });
  useEffect(() => {
    void log.open();
    return () => log.close();
  }, [log]);
  const timeline = useMemo(() => buildTimeline(events, now), [events, now]);
  return (
    <Page
      title="Turn"
      lead={events.length > 0 && <Lead timeline={timeline} turn={turn.data} turnId={turnId} />}
      actions={
        <>
          {isComplete && !isOver && <StopButton turnId={turnId} />}
          {isOver && turn.data !== undefined && mayReplay(turn.data) && (
            <ReplayButton turnId={turnId} />
          )}
        </>
      }
    >
      <LoadFault of={turn} />
      {fault !== undefined && turn.error === null && (
        <FaultNote fault={fault} onRetry={() => void log.open()} />
      )}
      {events.length === 0 && fault === undefined && turn.error === null && (
        <Loading what="events" />
      )}
      {events.length > 0 && (
        <>
          <div className="mb-6 grid gap-4 lg:grid-cols-[3fr_2fr]">
            <Section title="Budgets" className="">
              {turn.data !== undefined && <Budgets timeline={timeline} turn={turn.data} />}
            </Section>
            <Section title="Context over the steps" className="">
              <ContextChart timeline={timeline} />
            </Section>
          </div>
          <Section title="Timeline" className="">
            <Waterfall timeline={timeline} />
          </Section>
          <Replays turnId={turnId} />
          <RawEvents events={events} startMs={timeline.startMs} />
        </>
      )}
    </Page>
  );
}

/** Replays are of turns that have ended, and not of replays or subagents. Pure. */
function mayReplay({ endedAt, replayOf, parentTurnId }: TurnRecord): boolean {
  return endedAt !== null && replayOf === undefined && parentTurnId === undefined;
}

function Lead({
  timeline,
  turn,
  turnId,
}: {
  timeline: Timeline;
  turn: TurnRecord | undefined;
  turnId: string;
}) {
  const { agent, model, outcome, reason, startMs, endMs, usage } = timeline;
  const spent = turn?.usage ?? usage;
  return (
    <span className="flex flex-wrap gap-x-3 gap-y-0.5 tabular-nums">
      <code className="font-mono text-xs leading-5">{turnId}</code>
      {agent !== undefined && <span>{agent}</span>}
      {model !== undefined && <span>{model}</span>}
      <span>
        {outcome ?? turn?.status ?? ''}
        {reason !== undefined && reason !== outcome ? ` (${reason.replaceAll('_', ' ')})` : ''}
      </span>
      <span>{formatDuration(endMs - startMs)}</span>
      <span>{formatShort(allTokens(spent))} tokens</span>
      {turn !== undefined && turn.parentTurnId === undefined && (
        <Link href={`/sessions/${turn.sessionId}`} className="text-accent-ink underline">
          Session
        </Link>
      )}
      {turn?.replayOf !== undefined && (
        <Link
          href={`/turns/${turn.replayOf}/compare/${turnId}`}
          className="text-accent-ink underline"
        >
          Compare with the recorded turn
        </Link>
      )}
      {turn?.parentTurnId !== undefined && (
        <Link href={`/turns/${turn.parentTurnId}`} className="text-accent-ink underline">
          Parent
        </Link>
      )}
    </span>
  );
}

function StopButton({ turnId }: { turnId: string }) {
  const [isAsked, setAsked] = useState(false);
  const stop = (): void => {
    setAsked(true);
    client()
      .turns.interrupt(turnId)
      .catch((fault: unknown) => {
        reportFault(fault);
        setAsked(false);
      });
  };
  return (
    <Button onClick={stop} disabled={isAsked}>
      <Square aria-hidden size={12} fill="currentColor" /> {isAsked ? 'Stopping' : 'Stop'}
    </Button>
  );
}

/** A chart of the context's tokens after each step. */
export function ContextChart({ timeline }: { timeline: Timeline }) {
  const { steps, contextWindow } = timeline;
  if (steps.length === 0) {
    return (
      <p className="rounded-xl border border-line bg-panel p-4 text-xs text-muted">
        No step has ended yet.
      </p>
    );
  }
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
