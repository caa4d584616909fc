import { useMutation, useQuery } from '@tanstack/react-query';
import { invalidate, useCommand } from '../../api/queries.js';
import { useId, useState } from 'react';
import type { DeliveryStatus, DeliveryView } from '#src/client/turnpike-client.js';
import { client } from '../../api/client.js';
import { MutationFault } from '../../components/fault-note.js';
import { Link } from 'wouter';
import { LoadedList } from '../../components/page.js';
import { useNow } from '../../hooks/use-now.js';
import { Button } from '../../components/button.js';
import { formatAgo } from '../../components/format.js';

const POLL_MS = 2_000;

const looks: Record<DeliveryStatus, string> = {
  pending: 'text-amber',
  delivered: 'text-good',
  dead: 'text-bad',
};

/** The latest deliveries of a webhook, of one status or all. */
export function Deliveries({ webhookId, mayResend }: { webhookId: string; mayResend: boolean }) {
  const command = useCommand();
  const [status, setStatus] = useState<DeliveryStatus>();
  const page = useQuery({
    queryKey: ['webhooks', webhookId, 'deliveries', status],
    queryFn: () =>
      client().webhooks.deliveries(webhookId, { limit: 50, ...(status && { status }) }),
    refetchInterval: POLL_MS,
  });
  const resending = useMutation({
    mutationFn: (deliveryId: string) => client().webhooks.redeliver(webhookId, deliveryId),
    onSuccess: () => invalidate('webhooks'),
  });
  const id = useId();
  return (
    <section aria-label="Deliveries" className="mt-3 border-t border-line pt-3">
      <label htmlFor={id} className="mr-2 text-xs font-medium">
        Status
      </label>
      <select
        id={id}
        value={status ?? ''}
        onChange={({ target }) =>
          setStatus(target.value === '' ? undefined : (target.value as DeliveryStatus))
        }
        className="h-8 rounded-lg border border-line-strong bg-panel px-2 text-sm"
      >
        <option value="">All</option>
        {Object.keys(looks).map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
      <MutationFault of={resending} />
      <div className="mt-2">
        <LoadedList
          from={{ ...page, data: page.data?.deliveries }}
          what="deliveries"
          nothing={
            <p className="py-3 text-sm text-muted">No deliveries yet. Send a test to see one.</p>
          }
          look="rows"
        >
          {(delivery) => (
            <DeliveryRow
              key={delivery.id}
              delivery={delivery}
              onResend={
                mayResend && !resending.isPending ? () => resending.mutate(delivery.id) : undefined
              }
            />
          )}
        </LoadedList>
      </div>
      {page.data?.nextCursor !== undefined && (
        <p className="pt-2 text-xs text-muted">
          These are the latest 50. For more:{' '}
          {command(`webhooks deliveries ${webhookId} --limit 1000`)}
        </p>
      )}
    </section>
  );
}

function DeliveryRow({
  delivery,
  onResend,
}: {
  delivery: DeliveryView;
  onResend: (() => void) | undefined;
}) {
  const { id, type, status, turnId, createdAt, failures, error, response, nextTryAt } = delivery;
  const now = useNow(10_000);
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 py-2">
      <code className="font-mono text-[0.8125rem]">{type}</code>
      <span className={looks[status]}>{status}</span>
      <span className="min-w-0 flex-1 text-xs text-muted [overflow-wrap:anywhere]">
        {error !== null && `${failures === 1 ? 'failed' : `failed ${failures} times`}: ${error}`}
        {response !== null && response !== '' && ` (${response.slice(0, 200)})`}
        {nextTryAt !== null &&
          failures > 0 &&
          `, next try at ${nextTryAt.slice(0, 16).replace('T', ' ')} UTC`}
      </span>
      {turnId !== null && (
        <Link href={`/turns/${turnId}`} className="text-xs text-accent-ink underline">
          Timeline
        </Link>
      )}
      <span className="text-xs text-muted" title={id}>
        {formatAgo(createdAt, now)}
      </span>
      <Button
        className="h-7"
        disabled={onResend === undefined}
        onClick={onResend}
        aria-label={`Send ${type} again`}
      >
        Send again
      </Button>
    </li>
  );
}
