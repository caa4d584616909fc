import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ScheduleView } from '#src/client/turnpike-client.js';
import { client } from '../../api/client.js';
import { HelpLink, LoadedList, EmptyState, Page } from '../../components/page.js';
import { Button } from '../../components/button.js';
import { Plus } from '../../components/icons.js';
import { ScheduleCard } from './schedule-card.js';
import { ScheduleForm } from './schedule-form.js';

const POLL_MS = 5_000;

/** The user's schedules. */
export function SchedulesPage() {
  const schedules = useQuery({
    queryKey: ['schedules'],
    queryFn: () => client().schedules.list(),
    refetchInterval: POLL_MS,
  });
  // `new`, or the schedule that is edited as it was when its form was opened.
  const [edited, setEdited] = useState<ScheduleView | 'new'>();
  return (
    <Page
      title="Schedules"
      lead="Run a message on a schedule, with your limits and permissions."
      actions={
        <Button look="main" onClick={() => setEdited('new')}>
          <Plus aria-hidden size={14} /> New schedule
        </Button>
      }
    >
      <LoadedList
        from={schedules}
        what="schedules"
        nothing={
          <EmptyState title="No schedules yet.">
            A schedule sends a message at set times, such as a report every Monday at nine.{' '}
            <HelpLink topic="guide/schedules">How schedules work</HelpLink>
          </EmptyState>
        }
      >
        {(schedule) => (
          <ScheduleCard key={schedule.id} schedule={schedule} onEdit={() => setEdited(schedule)} />
        )}
      </LoadedList>
      {edited !== undefined && (
        <ScheduleForm
          schedule={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
    </Page>
  );
}
