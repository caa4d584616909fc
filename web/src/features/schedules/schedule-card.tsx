import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ScheduleView } from '#src/client/turnpike-client.js';
import { client } from '../../api/client.js';
import { invalidate, useAgentTitles } from '../../api/queries.js';
import { MutationFault } from '../../components/fault-note.js';
import { LoadFault } from '../../components/page.js';
import { Link } from 'wouter';
import { useNow } from '../../hooks/use-now.js';
import { Button } from '../../components/button.js';
import { DeleteButton } from '../../components/delete-button.js';
import { Pencil } from '../../components/icons.js';
import { cronWords } from './cron-words.js';
import { describeState, type DescribedState } from './describe-state.js';
import { Runs } from './runs.js';
import { ZoneTime } from './zone-time.js';

const SHOWN_TIMES = 3;

const looks: Record<DescribedState['look'], string> = {
  good: 'text-good',
  amber: 'text-amber',
  bad: 'text-bad',
  muted: 'text-muted',
};

/** A schedule with its times and runs, and what can be done with it. */
export function ScheduleCard({ schedule, onEdit }: { schedule: ScheduleView; onEdit: () => void }) {
  const { key, cron, tz, message, pausedAt } = schedule;
  const now = useNow(5_000);
  const [isOpen, setOpen] = useState(false);
  const state = describeState(schedule, now);
  const { schedules } = client();
  const isPaused = pausedAt !== null;
  const onSuccess = () => invalidate('schedules');
  const pausing = useMutation({
    mutationFn: () => (isPaused ? schedules.resume(key) : schedules.pause(key)),
    onSuccess,
  });
  const triggering = useMutation({
    mutationFn: () => schedules.trigger(key),
    onSuccess: () => {
      setOpen(true);
      return onSuccess();
    },
  });
  const isBusy = pausing.isPending || triggering.isPending;
  return (
    <li aria-label={key} className="rounded-xl border border-line bg-panel p-4">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <h2 className="min-w-0 flex-1 text-sm font-semibold [overflow-wrap:anywhere]">{key}</h2>
        <span className={`text-xs ${looks[state.look]}`}>{state.words}</span>
      </div>
      <p className="mt-0.5 text-sm">
        {cronWords(cron)}{' '}
        <span className="text-muted">
          <code className="font-mono text-xs">{cron}</code>, {tz} time
        </span>
      </p>
      <p className="mt-1.5 line-clamp-3 text-sm whitespace-pre-wrap text-soft [overflow-wrap:anywhere]">
        {message}
      </p>
      <Where schedule={schedule} />
      <NextTimes schedule={schedule} />
      <MutationFault of={pausing} />
      <MutationFault of={triggering} />
      <div className="mt-3 flex flex-wrap gap-2">
        <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Hide runs' : 'Runs'}
        </Button>
        <Button
          disabled={isBusy}
          title="Sends the message now, beside the scheduled times"
          onClick={() => triggering.mutate()}
        >
          Run now
        </Button>
        <Button disabled={isBusy} onClick={() => pausing.mutate()}>
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
        <Button onClick={onEdit}>
          <Pencil aria-hidden size={14} /> Edit
        </Button>
        <DeleteButton
          title={`Delete the schedule ${key}?`}
          onConfirm={async () => {
            await schedules.delete(key);
            await invalidate('schedules');
          }}
        >
          It sends no more messages, and the list of its runs is deleted. Sessions that it started
          stay.
        </DeleteButton>
      </div>
      {isOpen && <Runs schedule={schedule} />}
    </li>
  );
}

function Where({ schedule: { session, agent, projectRoot, overlap } }: { schedule: ScheduleView }) {
  const titleOf = useAgentTitles();
  const words = [
    ...(agent === null ? [] : [titleOf(agent)]),
    ...(projectRoot === null ? [] : [projectRoot]),
    ...(overlap === 'skip' ? [] : [overlapWords[overlap]]),
  ];
  return (
    <p className="mt-0.5 text-xs text-muted [overflow-wrap:anywhere]">
      {session === 'new' ? (
        'a new session each time'
      ) : (
        <Link href={`/sessions/${session}`} className="text-accent-ink underline">
          always in one session
        </Link>
      )}
      {words.map((one) => ` · ${one}`)}
    </p>
  );
}

const overlapWords: Record<ScheduleView['overlap'], string> = {
  skip: 'skipped while the last run is not finished',
  queueOne: 'one run waits for the last one',
  allow: 'runs may overlap',
};

function NextTimes({
  schedule: { key, cron, tz, nextAt, pauseReason },
}: {
  schedule: ScheduleView;
}) {
  // A schedule whose cron expression is invalid has no next times.
  const hasTimes = pauseReason !== 'times';
  const upcoming = useQuery({
    // The times change with the schedule, and whenever one has passed.
    queryKey: ['schedules', key, 'upcoming', cron, tz, nextAt],
    queryFn: () => client().schedules.upcoming(key, SHOWN_TIMES),
    enabled: hasTimes,
  });
  if (upcoming.data === undefined) return <LoadFault of={upcoming} />;
  if (upcoming.data.length === 0) return null;
  return (
    <dl className="mt-2 flex gap-x-3 text-xs">
      <dt className="text-muted">{nextAt === null ? 'Next if resumed' : 'Next'}</dt>
      <dd>
        <ul className="flex flex-wrap gap-x-4 gap-y-0.5">
          {upcoming.data.map(({ at }) => (
            <li key={at}>
              <ZoneTime at={at} tz={tz} />
            </li>
          ))}
        </ul>
      </dd>
    </dl>
  );
}
