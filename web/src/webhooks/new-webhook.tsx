import { useId, useState } from 'react';
import type { WantedWebhook, WebhookWithSecret } from '../../../src/client/turnpike-client.js';
import { client } from '../app/client.js';
import { FaultNote } from '../app/fault-note.js';
import { useAct } from '../app/use-act.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';

type WebhookEvent = NonNullable<NonNullable<WantedWebhook['events']>>[number];

const events: Record<WebhookEvent, string> = {
  'turn.started': 'a turn starts',
  'turn.waiting': 'a turn waits for answers',
  'turn.ended': 'a turn ends',
  'approval.requested': 'a tool call needs an answer',
  'schedule.missed': 'slots of a schedule were missed',
  'schedule.paused': 'the server paused a schedule',
  'feedback.changed': 'feedback on a turn changes',
};
const names = Object.keys(events) as WebhookEvent[];

const field = 'h-9 w-full rounded-lg border border-line-strong bg-panel px-2.5 text-sm';

/** The dialog that makes a webhook. */
export function NewWebhook({
  onMade,
  onClose,
}: {
  onMade: (made: WebhookWithSecret) => void;
  onClose: () => void;
}) {
  const id = useId();
  const act = useAct();
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [asked, setAsked] = useState<readonly WebhookEvent[]>(names);
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
        <label htmlFor={`${id}-url`} className="mb-1 block text-xs font-medium">
          URL
        </label>
        <input
          id={`${id}-url`}
          type="url"
          required
          autoFocus
          placeholder="https://example.com/hooks"
          value={url}
          onChange={({ target }) => setUrl(target.value)}
          className={`${field} font-mono`}
        />
        <label htmlFor={`${id}-for`} className="mt-3 mb-1 block text-xs font-medium">
          What it is for
        </label>
        <input
          id={`${id}-for`}
          maxLength={500}
          value={description}
          onChange={({ target }) => setDescription(target.value)}
          className={field}
        />
        <fieldset className="mt-3">
          <legend className="mb-1 text-xs font-medium">Sent when</legend>
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
        {act.fault !== undefined && <FaultNote fault={act.fault} onDismiss={act.dismiss} />}
        <div className="mt-4 flex justify-end">
          <Button
            type="submit"
            look="main"
            disabled={url.trim() === '' || asked.length === 0 || act.isBusy}
          >
            Make it
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
