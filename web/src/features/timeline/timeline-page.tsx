import { AgentName } from '../../components/agent-name.js';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { Link } from 'wouter';
import { TurnpikeError } from '#src/client/transport/client-errors.js';
import type { TurnFault, TurnRecord, TurnSummary } from '#src/client/server-types.js';
import { compact } from '#src/platform/compact.js';
import { client, reportFault } from '../../api/client.js';
import { useIsOperator } from '../../api/queries.js';
import { Button } from '../../components/button.js';
import { FaultNote } from '../../components/fault-note.js';
import { Square } from '../../components/icons.js';
import { Loading, LoadFault, Page, Section } from '../../components/page.js';
import { useNow } from '../../hooks/use-now.js';
import { useValue } from '../../hooks/value-store.js';
import { ReplayButton } from '../replay/replay-button.js';
import { Replays } from '../replay/replays.js';
import { Budgets } from './budgets.js';
import { buildTimeline } from './build-timeline.js';
import { CacheMisses } from './cache-misses.js';
import { ContextChart } from './context-chart.js';
import { RawEvents } from './raw-events.js';
import { TurnFacts } from './turn-facts.js';
import { TurnLog } from './turn-log.js';
import { Waterfall } from './waterfall.js';

/** A turn, as far as the caller may see it. */
interface ShownTurn {
  /** Absent: it is somebody else's, whom an admin looks at. */
  record?: TurnRecord;
  /** Absent: the turn is a copy in a fork, which did not run. */
  summary?: TurnSummary;
}

/** A turn's steps, tools and waits over time, with tokens, cost and limits. */
export function TimelinePage({ turnId }: { turnId: string }) {
  const isAdmin = useIsOperator();
  const turn = useQuery({
    queryKey: ['turns', turnId, { isAdmin }],
    queryFn: () => loadTurn(turnId, isAdmin),
  });
  if (turn.data === undefined) {
    return (
      <Page title="Turn">
        <LoadFault of={turn} />
        {turn.error === null && <Loading what="the turn" />}
      </Page>
    );
  }
  return <LoadedTurn turnId={turnId} turn={turn.data} onEnd={() => void turn.refetch()} />;
}

async function loadTurn(turnId: string, isAdmin: boolean): Promise<ShownTurn> {
  const { turns } = client();
  try {
    const record = await turns.get(turnId);
    const [summary] = (await turns.list({ id: turnId })).turns;
    return { record, ...compact({ summary }) };
  } catch (fault) {
    const isUnknown = fault instanceof TurnpikeError && fault.code === 'TURN_NOT_FOUND';
    if (!isUnknown || !isAdmin) throw fault;
    return { summary: await turns.summary(turnId) };
  }
}

function LoadedTurn({
  turnId,
  turn: { record, summary },
  onEnd,
}: {
  turnId: string;
  turn: ShownTurn;
  onEnd: () => void;
}) {
  const isForeign = record === undefined;
  const log = useMemo(() => new TurnLog(turnId, isForeign), [turnId, isForeign]);
  const { events, isComplete, fault } = useValue(log.state);
  const isOver = events.at(-1)?.type === 'turn.ended';
  const isKnownOver = (record ?? summary)?.endedAt !== null;
  const now = useNow(isOver ? 3_600_000 : 500);
  useEffect(() => {
    void log.open();
    return () => log.close();
  }, [log]);
  useEffect(() => {
    // Its usage is known at its end.
    if (isOver && !isKnownOver) onEnd();
  }, [isOver, isKnownOver, onEnd]);
  const failure = summary?.error ?? null;
  const createdMs = Date.parse((record ?? summary)?.createdAt ?? '');
  const timeline = useMemo(
    () => buildTimeline(events, now, Number.isNaN(createdMs) ? undefined : createdMs),
    [events, now, createdMs],
  );
  return (
    <Page
      title={summary?.title ?? 'Turn'}
      lead={<Lead turnId={turnId} record={record} summary={summary} />}
      actions={
        <>
          {!isForeign && isComplete && !isOver && <StopButton turnId={turnId} />}
          {isOver && record !== undefined && mayReplay(record) && <ReplayButton turnId={turnId} />}
        </>
      }
    >
      {failure !== null && <Failure error={failure} />}
      {isForeign && (
        <p className="mb-4 text-sm text-muted">
          This turn is somebody else’s: what was said in it is not shown here.
        </p>
      )}
      {fault !== undefined && <FaultNote fault={fault} onRetry={() => void log.open()} />}
      {events.length === 0 && fault === undefined && <Loading what="events" />}
      {events.length > 0 && (
        <>
          <TurnFacts timeline={timeline} summary={summary} />
          <div className="mb-6 grid gap-4 lg:grid-cols-[3fr_2fr]">
            {record !== undefined && (
              <Section title="Limits" className="">
                <Budgets timeline={timeline} turn={record} />
              </Section>
            )}
            {timeline.steps.some(({ contextTokens }) => contextTokens > 0) && (
              <Section title="Context over the steps" className="">
                <ContextChart timeline={timeline} />
              </Section>
            )}
          </div>
          <Section title="Timeline" className="">
            <Waterfall timeline={timeline} />
          </Section>
          {!isForeign && isOver && <CacheMisses turnId={turnId} />}
          {!isForeign && <Replays turnId={turnId} />}
          <RawEvents events={events} startMs={timeline.startMs} isForeign={isForeign} />
        </>
      )}
    </Page>
  );
}

/** Replays are of turns that have ended, and not of replays or subagents. Pure. */
function mayReplay({ endedAt, replayOf, parentTurnId }: TurnRecord): boolean {
  return endedAt !== null && replayOf === undefined && parentTurnId === undefined;
}

/** Why a turn failed, and what to do. */
function Failure({ error: { type, reason, message, action } }: { error: TurnFault }) {
  // Most messages say what to do themselves.
  const advice = message?.includes(action) === true ? '' : action;
  const [first, ...rest] = [message, advice].filter((text) => text !== null && text !== '');
  return (
    <div
      role="alert"
      className="mb-4 rounded-lg border border-bad/40 bg-bad-wash px-3 py-2 text-sm text-bad"
    >
      <p className="font-medium [overflow-wrap:anywhere]">{first ?? 'The turn failed.'}</p>
      {rest.length > 0 && <p className="mt-0.5">{rest.join(' ')}</p>}
      <code className="mt-1 block text-xs">{reason === null ? type : `${type} · ${reason}`}</code>
    </div>
  );
}

function Lead({
  turnId,
  record,
  summary,
}: {
  turnId: string;
  record: TurnRecord | undefined;
  summary: TurnSummary | undefined;
}) {
  const link = 'text-accent-ink underline';
  return (
    <span className="flex flex-wrap gap-x-3 gap-y-0.5 tabular-nums">
      <code className="font-mono text-xs leading-5">{turnId}</code>
      {summary !== undefined && (
        <span>
          <AgentName name={summary.agent} />
          {summary.agentVersion !== null && (
            <span title="Version of the agent’s file"> @{summary.agentVersion}</span>
          )}
        </span>
      )}
      <span>{summary?.model ?? record?.options.model}</span>
      {record === undefined && <span>{summary?.principal}</span>}
      {record !== undefined && record.parentTurnId === undefined && (
        <Link href={`/sessions/${record.sessionId}`} className={link}>
          Open the session
        </Link>
      )}
      {record?.replayOf !== undefined && (
        <Link href={`/turns/${record.replayOf}/compare/${turnId}`} className={link}>
          Compare with the recorded turn
        </Link>
      )}
      {record?.parentTurnId !== undefined && (
        <Link href={`/turns/${record.parentTurnId}`} className={link}>
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
