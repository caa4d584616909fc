import { useMutation } from '@tanstack/react-query';
import { invalidate } from '../../api/queries.js';
import { useState } from 'react';
import type { WebhookView, WebhookWithSecret } from '#src/client/turnpike-client.js';
import { client } from '../../api/client.js';
import { MutationFault } from '../../components/fault-note.js';
import { useNow } from '../../hooks/use-now.js';
import { Button } from '../../components/button.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { DeleteButton } from '../../components/delete-button.js';
import { formatFor } from '../../components/format.js';
import { RotateCw } from '../../components/icons.js';
import { Deliveries } from './deliveries.js';

/** A webhook with its deliveries, and what can be done with it. */
export function WebhookCard({
  webhook,
  onSecret,
}: {
  webhook: WebhookView;
  onSecret: (made: WebhookWithSecret) => void;
}) {
  const { id, url, description, events, enabled } = webhook;
  const [isOpen, setOpen] = useState(false);
  const [isRotating, setRotating] = useState(false);
  const { webhooks } = client();
  const onSuccess = () => invalidate('webhooks');
  const switching = useMutation({
    mutationFn: () => webhooks.change(id, { enabled: !enabled }),
    onSuccess,
  });
  const testing = useMutation({
    mutationFn: () => webhooks.test(id),
    onSuccess: () => {
      setOpen(true);
      return onSuccess();
    },
  });
  const isBusy = switching.isPending || testing.isPending;
  return (
    <li aria-label={url} className="rounded-xl border border-line bg-panel p-4">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <code className="min-w-0 flex-1 font-mono text-sm [overflow-wrap:anywhere]">{url}</code>
        <State webhook={webhook} />
      </div>
      {description !== '' && <p className="mt-0.5 text-sm text-muted">{description}</p>}
      <p className="mt-0.5 text-xs text-muted">
        {events === null ? 'all events' : events.join(', ')} · {id}
      </p>
      <MutationFault of={switching} />
      <MutationFault of={testing} />
      <div className="mt-3 flex flex-wrap gap-2">
        <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Hide deliveries' : 'Deliveries'}
        </Button>
        <Button disabled={isBusy || !enabled} onClick={() => testing.mutate()}>
          Send a test
        </Button>
        <Button disabled={isBusy} onClick={() => switching.mutate()}>
          {enabled ? 'Disable' : 'Enable'}
        </Button>
        <Button disabled={isBusy} onClick={() => setRotating(true)}>
          <RotateCw aria-hidden size={14} /> New secret
        </Button>
        <DeleteButton
          title="Delete this webhook?"
          onConfirm={async () => {
            await webhooks.delete(id);
            await invalidate('webhooks');
          }}
        >
          Nothing is sent to {url} any more, and the list of its deliveries is deleted.
        </DeleteButton>
      </div>
      {isRotating && (
        <ConfirmDialog
          title="Make a new secret?"
          action="Make a new secret"
          onConfirm={async () => onSecret(await webhooks.rotate(id))}
          onClose={() => setRotating(false)}
        >
          Requests are signed with both secrets for a day. After that the old one no longer works:
          the receiver needs the new one by then.
        </ConfirmDialog>
      )}
      {isOpen && <Deliveries webhookId={id} mayResend={enabled} />}
    </li>
  );
}

function State({ webhook }: { webhook: WebhookView }) {
  const now = useNow(10_000);
  const { enabled, disabledReason, failingSince } = webhook;
  if (!enabled) {
    return (
      <span className="text-xs text-muted">
        {disabledReason === null ? 'Disabled' : 'Disabled: the receiver answered 410'}
      </span>
    );
  }
  if (failingSince === null) return <span className="text-xs text-good">Enabled</span>;
  return <span className="text-xs text-bad">Failing for {formatFor(failingSince, now)}</span>;
}
