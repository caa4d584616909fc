import type { ScheduleView } from '#src/client/turnpike-client.js';
import { client } from '../../api/client.js';
import { invalidate, useAgents, useAgentTitles, useSessions } from '../../api/queries.js';
import { Field, type ControlProps } from '../../components/field.js';
import { FormDialog } from '../../components/form-dialog.js';
import { cronWords } from './cron-words.js';
import { draftOf, findProblems, parseDraft } from './schedule-draft.js';
import { useDraft, type Bind, type BoundField } from './use-draft.js';
import { viewerZone } from './zone-times.js';

const required = ['key', 'cron', 'tz', 'message'] as const;

/** The dialog that makes a schedule, or changes one. */
export function ScheduleForm({
  schedule,
  onClose,
}: {
  /** Undefined: a new one. */
  schedule: ScheduleView | undefined;
  onClose: () => void;
}) {
  const { draft, bind, ...form } = useDraft(() => draftOf(schedule, viewerZone()));
  const store = async (): Promise<void> => {
    const { schedules } = client();
    const input = parseDraft(draft);
    await (schedule === undefined
      ? schedules.create(draft.key, input)
      : schedules.put(draft.key, input));
    onClose();
    await invalidate('schedules');
  };
  return (
    <FormDialog
      title={schedule === undefined ? 'New schedule' : `Edit ${schedule.key}`}
      action={schedule === undefined ? 'Create' : 'Save'}
      sending={form}
      isReady={required.every((field) => draft[field].trim() !== '')}
      onSubmit={() => form.submit(findProblems(draft), store)}
      onClose={onClose}
    >
      {schedule === undefined && <KeyField {...bind('key')} />}
      <Times bind={bind} />
      <Field label="Message" problem={bind('message').problem}>
        {(control) => <textarea required rows={3} {...control} {...bind('message').entry} />}
      </Field>
      <SessionFields bind={bind} />
      <AdvancedFields bind={bind} />
    </FormDialog>
  );
}

function KeyField({ problem, entry }: BoundField) {
  return (
    <Field label="Name" about="Letters, digits, _ - and ." problem={problem}>
      {(control) => (
        <input
          required
          maxLength={100}
          placeholder="weekly-report"
          {...plainText}
          {...mono(control)}
          {...entry}
        />
      )}
    </Field>
  );
}

function Times({ bind }: { bind: Bind }) {
  const cron = bind('cron');
  const tz = bind('tz');
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Field
        label="Times"
        about={
          cronWords(cron.entry.value) ??
          'Cron: minute, hour, day of the month, month, day of the week.'
        }
        problem={cron.problem}
      >
        {(control) => (
          <input
            required
            placeholder="0 9 * * 1-5"
            {...plainText}
            {...mono(control)}
            {...cron.entry}
          />
        )}
      </Field>
      <Field label="Time zone" problem={tz.problem}>
        {(control) => (
          <>
            <input
              required
              list={`${control.id}-zones`}
              {...plainText}
              {...control}
              {...tz.entry}
            />
            <datalist id={`${control.id}-zones`}>
              {Intl.supportedValuesOf('timeZone').map((zone) => (
                <option key={zone} value={zone} />
              ))}
            </datalist>
          </>
        )}
      </Field>
    </div>
  );
}

function AdvancedFields({ bind }: { bind: Bind }) {
  const overlap = bind('overlap');
  const catchUp = bind('catchUpMs');
  const opts = bind('opts');
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="If the last run is not finished" problem={overlap.problem}>
          {(control) => (
            <select {...control} {...overlap.entry}>
              <option value="skip">Skip this run</option>
              <option value="queueOne">Let one run wait</option>
              <option value="allow">Run anyway</option>
            </select>
          )}
        </Field>
        <Field
          label="Catch up for (minutes)"
          about="How late a run may start after an outage. At most a day."
          problem={catchUp.problem}
        >
          {(control) => <input inputMode="decimal" required {...control} {...catchUp.entry} />}
        </Field>
      </div>
      <Field
        label="Options (optional)"
        about="JSON with options of a turn, such as model, maxTurns, tools."
        problem={opts.problem}
      >
        {(control) => (
          <textarea
            rows={2}
            placeholder='{"maxTurns": 5}'
            {...plainText}
            {...mono(control)}
            {...opts.entry}
          />
        )}
      </Field>
    </>
  );
}

const plainText = { spellCheck: false, autoComplete: 'off', autoCapitalize: 'off' } as const;

function mono({ className, ...control }: ControlProps): ControlProps {
  return { ...control, className: `${className} font-mono` };
}

/** Where a schedule's turns run: in a session of the user's, or in new ones, with an agent and a folder. */
function SessionFields({ bind }: { bind: Bind }) {
  const { data: sessions = [] } = useSessions('chats');
  const { data: agents = [] } = useAgents();
  const titleOf = useAgentTitles();
  const session = bind('session');
  const agent = bind('agent');
  const folder = bind('projectRoot');
  const { value: chosen } = session.entry;
  const names = agents.filter(({ type }) => type !== 2).map(({ name }) => name);
  const { value: named } = agent.entry;
  const isListed = chosen === 'new' || sessions.some(({ sessionId }) => sessionId === chosen);
  return (
    <>
      <Field label="Session" problem={session.problem}>
        {(control) => (
          <select {...control} {...session.entry}>
            <option value="new">A new session each time</option>
            {!isListed && <option value={chosen}>{chosen}</option>}
            {sessions.map(({ sessionId, title, projectRoot }) => (
              <option key={sessionId} value={sessionId}>
                {title ?? 'New session'} ({projectRoot.split('/').at(-1)})
              </option>
            ))}
          </select>
        )}
      </Field>
      {chosen === 'new' && (
        <div className="grid gap-3 sm:grid-cols-2">
          <Field label="Agent" problem={agent.problem}>
            {(control) => (
              <select {...control} {...agent.entry}>
                <option value="">Default agent</option>
                {named !== '' && !names.includes(named) && <option>{named}</option>}
                {names.map((name) => (
                  <option key={name} value={name}>
                    {titleOf(name)}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field
            label="Folder (optional)"
            about="If empty, your own folder."
            problem={folder.problem}
          >
            {(control) => (
              <input spellCheck={false} autoComplete="off" {...control} {...folder.entry} />
            )}
          </Field>
        </div>
      )}
    </>
  );
}
