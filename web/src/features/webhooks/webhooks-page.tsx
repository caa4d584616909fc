import { useQuery } from '@tanstack/react-query';
import { invalidate } from '../../api/queries.js';
import { useState } from 'react';
import type { WebhookWithSecret } from '#src/client/turnpike-client.js';
import { client } from '../../api/client.js';
import { HelpLink, LoadedList, EmptyState, Page } from '../../components/page.js';
import { Button } from '../../components/button.js';
import { Plus } from '../../components/icons.js';
import { SecretDialog } from '../../components/secret-dialog.js';
import { NewWebhook } from './new-webhook.js';
import { WebhookCard } from './webhook-card.js';

const POLL_MS = 5_000;

/** The URLs that events of the user's turns are sent to. */
export function WebhooksPage() {
  const webhooks = useQuery({
    queryKey: ['webhooks'],
    queryFn: () => client().webhooks.list(),
    refetchInterval: POLL_MS,
  });
  const [isAdding, setAdding] = useState(false);
  const [shown, setShown] = useState<WebhookWithSecret>();
  const show = (made: WebhookWithSecret): void => {
    setAdding(false);
    setShown(made);
    void invalidate('webhooks');
  };
  return (
    <Page
      title="Webhooks"
      lead="Signed HTTP requests about your turns, to URLs of yours."
      actions={
        <Button look="main" onClick={() => setAdding(true)}>
          <Plus aria-hidden size={14} /> New webhook
        </Button>
      }
    >
      <LoadedList
        from={webhooks}
        what="webhooks"
        nothing={
          <EmptyState title="No webhooks yet.">
            A webhook tells your application when a turn ends or needs an approval.{' '}
            <HelpLink topic="guide/webhooks">How to receive them</HelpLink>
          </EmptyState>
        }
      >
        {(webhook) => <WebhookCard key={webhook.id} webhook={webhook} onSecret={show} />}
      </LoadedList>
      {isAdding && <NewWebhook onMade={show} onClose={() => setAdding(false)} />}
      {shown !== undefined && <Secret made={shown} onClose={() => setShown(undefined)} />}
    </Page>
  );
}

function Secret({ made, onClose }: { made: WebhookWithSecret; onClose: () => void }) {
  return (
    <SecretDialog title="Webhook secret" secret={made.secret} onClose={onClose}>
      Requests to {made.webhook.url} are signed with this secret. It is shown only now: store it
      where your application verifies the signature.
    </SecretDialog>
  );
}
