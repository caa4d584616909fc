import { useCallback, useState } from 'react';
import type { ScheduleView } from '#src/client/turnpike-client.js';
import { client } from '../../api/client.js';
import { FaultNote } from '../../components/fault-note.js';
import { Link } from '../../app/link.js';
import { useAct } from '../../app/use-act.js';
import { useNow } from '../../hooks/use-now.js';
import { useResource } from '../../app/use-resource.js';
import { Button } from '../../components/button.js';
import { DeleteButton } from '../../components/delete-button.js';
import { Pencil } from 'lucide-react';
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
export function ScheduleCard({
  schedule,
  onChange,
  onEdit,
}: {
  schedule: ScheduleView;
  onChange: () => void;
  onEdit: () => void;
}) {
  const { key, cron, tz, message, pausedAt } = schedule;
  const act = useAct();
  const now = useNow(5_000);
  const [isOpen, setOpen] = useState(false);
  const [round, setRound] = useState(0);
  const state = describeState(schedule, now);
  const { schedules } = client();
  const change = (work: () => Promise<unknown>) => () =>
    act.run(async () => {
      await work();
      onChange();
    });
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
      {act.fault !== undefined && <FaultNote fault={act.fault} onDismiss={act.dismiss} />}
      <div className="mt-3 flex flex-wrap gap-2">
        <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Hide runs' : 'Runs'}
        </Button>
        <Button
          disabled={act.isBusy}
          title="Sends the message now, beside the scheduled times"
          onClick={() =>
            act.run(async () => {
              await schedules.trigger(key);
              setOpen(true);
              setRound(round + 1);
            })
          }
        >
          Run now
        </Button>
        <Button
          disabled={act.isBusy}
          onClick={change(() => (pausedAt === null ? schedules.pause(key) : schedules.resume(key)))}
        >
          {pausedAt === null ? 'Pause' : 'Resume'}
        </Button>
        <Button onClick={onEdit}>
          <Pencil aria-hidden size={14} /> Edit
        </Button>
        <DeleteButton
          title={`Delete the schedule ${key}?`}
          onConfirm={async () => {
            await schedules.delete(key);
            onChange();
          }}
        >
          It sends no more messages, and the list of its runs is deleted. Sessions that it started
          stay.
        </DeleteButton>
      </div>
      {isOpen && <Runs key={round} schedule={schedule} />}
    </li>
  );
}

function Where({ schedule: { session, agent, projectRoot, overlap } }: { schedule: ScheduleView }) {
  const words = [
    ...(agent === null ? [] : [agent]),
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
  // A schedule whose times are not understood has none.
  const hasTimes = pauseReason !== 'times';
  const load = useCallback(
    async () => (hasTimes ? client().schedules.upcoming(key, SHOWN_TIMES) : []),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- other times after each slot and each change.
    [key, cron, tz, nextAt, hasTimes],
  );
  const { value, fault, reload } = useResource(load);
  if (fault !== undefined) return <FaultNote fault={fault} onRetry={reload} />;
  if (value === undefined || value.length === 0) return null;
  return (
    <dl className="mt-2 flex gap-x-3 text-xs">
      <dt className="text-muted">{nextAt === null ? 'Next if resumed' : 'Next'}</dt>
      <dd>
        <ul className="flex flex-wrap gap-x-4 gap-y-0.5">
          {value.map(({ at }) => (
            <li key={at}>
              <ZoneTime at={at} tz={tz} />
            </li>
          ))}
        </ul>
      </dd>
    </dl>
  );
}
