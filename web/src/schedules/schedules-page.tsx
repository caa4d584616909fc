import { useCallback, useState } from 'react';
import type { ScheduleView } from '../../../src/client/turnpike-client.js';
import { client } from '../app/client.js';
import { FaultNote } from '../app/fault-note.js';
import { HelpLink, Loading, Nothing, Page } from '../app/page.js';
import { useResource } from '../app/use-resource.js';
import { Button } from '../ui/button.js';
import { Plus } from '../ui/icons/icons.js';
import { ScheduleCard } from './schedule-card.js';
import { ScheduleForm } from './schedule-form.js';

/** Milliseconds between two looks at whether schedules go on. */
const LOOK_MS = 5_000;

/** The turns that the user has submitted at times of a clock. */
export function SchedulesPage() {
  const load = useCallback(() => client().schedules.list(), []);
  const { value, fault, reload } = useResource(load, LOOK_MS);
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
      {fault !== undefined && <FaultNote fault={fault} onRetry={reload} />}
      {value === undefined && fault === undefined && <Loading what="schedules" />}
      {value?.length === 0 && (
        <Nothing title="No schedules yet.">
          A schedule sends a message at set times, such as a report every Monday at nine.{' '}
          <HelpLink topic="guide/schedules">How schedules work</HelpLink>
        </Nothing>
      )}
      <ul className="space-y-3">
        {value?.map((schedule) => (
          <ScheduleCard
            key={schedule.id}
            schedule={schedule}
            onChange={reload}
            onEdit={() => setEdited(schedule)}
          />
        ))}
      </ul>
      {edited !== undefined && (
        <ScheduleForm
          schedule={edited === 'new' ? undefined : edited}
          onStored={() => {
            setEdited(undefined);
            reload();
          }}
          onClose={() => setEdited(undefined)}
        />
      )}
    </Page>
  );
}
