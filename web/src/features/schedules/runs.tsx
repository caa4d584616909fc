import { useQuery } from '@tanstack/react-query';
import type { ScheduleRunView, ScheduleView } from '#src/client/turnpike-client.js';
import { client } from '../../api/client.js';
import { Link } from 'wouter';
import { useCommand } from '../../api/queries.js';
import { LoadedList } from '../../components/page.js';
import { formatCount } from '../../components/format.js';
import { ZoneTime } from './zone-time.js';

const POLL_MS = 2_000;
const SHOWN_RUNS = 50;

const looks: Record<ScheduleRunView['outcome'], string> = {
  submitted: 'text-good',
  skipped: 'text-muted',
  refused: 'text-bad',
  missed: 'text-amber',
};

/** The latest runs of a schedule, the newest first. */
export function Runs({ schedule: { key, tz } }: { schedule: ScheduleView }) {
  const command = useCommand();
  const page = useQuery({
    queryKey: ['schedules', key, 'runs'],
    queryFn: () => client().schedules.runs(key, { limit: SHOWN_RUNS }),
    refetchInterval: POLL_MS,
  });
  return (
    <section aria-label="Runs" className="mt-3 border-t border-line pt-3">
      <LoadedList
        from={{ ...page, data: page.data?.runs }}
        what="runs"
        nothing={<p className="py-1 text-sm text-muted">No runs yet.</p>}
        look="rows"
      >
        {(run) => <RunRow key={run.id} run={run} tz={tz} />}
      </LoadedList>
      {page.data?.nextCursor !== undefined && (
        <p className="pt-2 text-xs text-muted">
          These are the latest {SHOWN_RUNS}. For more:{' '}
          {command(`schedules runs ${key} --limit 200`)}
        </p>
      )}
    </section>
  );
}

function RunRow({ run, tz }: { run: ScheduleRunView; tz: string }) {
  const { cause, slot, outcome, turnId, sessionId, turnStatus, error, missed } = run;
  const isThere = turnStatus !== null;
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 py-2">
      <ZoneTime at={slot} tz={tz} />
      <span className={looks[outcome]}>{outcome}</span>
      <span className="min-w-0 flex-1 text-xs text-muted [overflow-wrap:anywhere]">
        {cause === 'trigger' && 'started by you'}
        {error?.message}
        {missed !== null && describeMissed(missed.count)}
        {turnId !== null && !isThere && 'its session was deleted'}
      </span>
      {isThere && (
        <span className="flex gap-x-3 text-xs whitespace-nowrap">
          <span className="text-soft">{turnStatus}</span>
          {sessionId !== null && (
            <Link href={`/sessions/${sessionId}`} className="text-accent-ink underline">
              Session
            </Link>
          )}
          {turnId !== null && (
            <Link href={`/turns/${turnId}`} className="text-accent-ink underline">
              Timeline
            </Link>
          )}
        </span>
      )}
    </li>
  );
}

/** The most missed fire times that the server counts. */
const MAX_COUNTED = 1_000;

function describeMissed(count: number): string {
  if (count >= MAX_COUNTED) return `missed ${formatCount(count)} times or more from then on`;
  return count === 1 ? 'no worker could run it' : `missed ${formatCount(count)} times from then on`;
}
