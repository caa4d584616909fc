import { useCallback, useState } from 'react';
import type { ScheduleView } from '#src/client/turnpike-client.js';
import { client } from '../../api/client.js';
import { HelpLink, LoadedList, Nothing, Page } from '../../components/page.js';
import { useResource } from '../../app/use-resource.js';
import { Button } from '../../components/button.js';
import { Plus } from 'lucide-react';
import { ScheduleCard } from './schedule-card.js';
import { ScheduleForm } from './schedule-form.js';

/** Milliseconds between two looks at whether schedules go on. */
const LOOK_MS = 5_000;

/** The turns that the user has submitted at times of a clock. */
export function SchedulesPage() {
  const load = useCallback(() => client().schedules.list(), []);
  const schedules = useResource(load, LOOK_MS);
  // `new`, or the schedule that is edited, as it was then.
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
          <Nothing title="No schedules yet.">
            A schedule sends a message at set times, such as a report every Monday at nine.{' '}
            <HelpLink topic="guide/schedules">How schedules work</HelpLink>
          </Nothing>
        }
      >
        {(schedule) => (
          <ScheduleCard
            key={schedule.id}
            schedule={schedule}
            onChange={schedules.reload}
            onEdit={() => setEdited(schedule)}
          />
        )}
      </LoadedList>
      {edited !== undefined && (
        <ScheduleForm
          schedule={edited === 'new' ? undefined : edited}
          onStored={() => {
            setEdited(undefined);
            schedules.reload();
          }}
          onClose={() => setEdited(undefined)}
        />
      )}
    </Page>
  );
}
