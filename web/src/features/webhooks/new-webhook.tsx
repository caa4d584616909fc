import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import {
  TurnpikeError,
  type WantedWebhook,
  type WebhookWithSecret,
} from '#src/client/turnpike-client.js';
import { client } from '../../api/client.js';
import { CheckList, Field } from '../../components/field.js';
import { FormDialog } from '../../components/form-dialog.js';

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
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [asked, setAsked] = useState<readonly WebhookEvent[]>(names);
  const creating = useMutation({
    mutationFn: () => {
      // All of today's events: those of later versions as well.
      const chosen = asked.length === names.length ? null : [...asked];
      return client().webhooks.create({ url, description, events: chosen });
    },
    onSuccess: onMade,
  });
  const problem = urlProblem(creating.error);
  return (
    <FormDialog
      title="New webhook"
      action="Create"
      sending={creating}
      isReady={url.trim() !== '' && asked.length > 0}
      isFaultShown={problem === undefined}
      onSubmit={() => creating.mutate()}
      onClose={onClose}
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
              creating.reset();
            }}
            className={`${className} font-mono`}
          />
        )}
      </Field>
      <Field label="Description (optional)">
        {(control) => (
          <input
            {...control}
            maxLength={500}
            value={description}
            onChange={({ target }) => setDescription(target.value)}
          />
        )}
      </Field>
      <CheckList legend="Send when" words={events} chosen={asked} onChange={setAsked} />
    </FormDialog>
  );
}

/** What is wrong with the URL, where a refusal is about it. */
function urlProblem(fault: unknown): string | undefined {
  if (!(fault instanceof TurnpikeError) || !/\bURL\b|'url'/.test(fault.message)) return undefined;
  return fault.message;
}
