import { useState } from 'react';
import {
  TurnpikeError,
  type WantedWebhook,
  type WebhookWithSecret,
} from '../../../src/client/turnpike-client.js';
import { client } from '../app/client.js';
import { FaultNote } from '../app/fault-note.js';
import { useAct } from '../app/use-act.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Field } from '../ui/field.js';

type WebhookEvent = NonNullable<NonNullable<WantedWebhook['events']>>[number];

const events: Record<WebhookEvent, string> = {
  'turn.started': 'A turn starts',
  'turn.waiting': 'A turn waits for approvals or a client',
  'turn.ended': 'A turn ends',
  'approval.requested': 'A tool call needs an approval',
  'schedule.missed': 'A schedule missed its time',
  'schedule.paused': 'The server paused a schedule',
  'feedback.changed': 'Feedback on a turn changes',
};
const names = Object.keys(events) as WebhookEvent[];

/** The dialog that makes a webhook. */
export function NewWebhook({
  onMade,
  onClose,
}: {
  onMade: (made: WebhookWithSecret) => void;
  onClose: () => void;
}) {
  const act = useAct();
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [asked, setAsked] = useState<readonly WebhookEvent[]>(names);
  const problem = urlProblem(act.fault);
  const make = async (): Promise<void> => {
    // All of today's events: those of later versions as well.
    const chosen = asked.length === names.length ? null : [...asked];
    onMade(await client().webhooks.create({ url, description, events: chosen }));
  };
  return (
    <Dialog title="New webhook" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          act.run(make);
        }}
      >
        <Field label="URL" problem={problem}>
          {({ className, ...control }) => (
            <input
              {...control}
              type="url"
              required
              placeholder="https://example.com/hooks"
              value={url}
              onChange={({ target }) => {
                setUrl(target.value);
                act.dismiss();
              }}
              className={`${className} font-mono`}
            />
          )}
        </Field>
        <Field label="Description (optional)" className="mt-3">
          {(control) => (
            <input
              {...control}
              maxLength={500}
              value={description}
              onChange={({ target }) => setDescription(target.value)}
            />
          )}
        </Field>
        <fieldset className="mt-3">
          <legend className="mb-1 text-xs font-medium">Send when</legend>
          {names.map((name) => (
            <label key={name} className="flex items-center gap-2 text-sm">
              <input
                type="checkbox"
                checked={asked.includes(name)}
                onChange={({ target }) =>
                  setAsked(
                    names.filter((one) => (one === name ? target.checked : asked.includes(one))),
                  )
                }
                className="accent-accent"
              />
              {events[name]} <code className="text-xs text-muted">{name}</code>
            </label>
          ))}
        </fieldset>
        {act.fault !== undefined && problem === undefined && (
          <FaultNote fault={act.fault} onDismiss={act.dismiss} />
        )}
        <div className="mt-4 flex justify-end">
          <Button
            type="submit"
            look="main"
            disabled={url.trim() === '' || asked.length === 0 || act.isBusy}
          >
            Create
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** What is wrong with the URL, where a refusal is about it. */
function urlProblem(fault: unknown): string | undefined {
  if (!(fault instanceof TurnpikeError) || !/\bURL\b|'url'/.test(fault.message)) return undefined;
  return fault.message;
}
