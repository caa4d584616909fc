import { useCallback } from 'react';
import { client } from '../app/client.js';
import { FaultNote } from '../app/fault-note.js';
import { Link } from '../app/link.js';
import { Loading, Nothing, Page } from '../app/page.js';
import { useNow } from '../app/use-now.js';
import { formatAgo } from '../ui/format.js';
import { ApprovalCard } from './approval-card.js';
import { usePending } from './use-pending.js';
import { useResource } from '../app/use-resource.js';
import type { ApprovalView } from '../../../src/client/turnpike-client.js';

/** The open questions, and the latest decisions. */
export function ApprovalsPage() {
  const { value, fault, reload } = usePending();
  return (
    <Page title="Approvals" lead="The questions that turns wait for, oldest first.">
      {fault !== undefined && <FaultNote fault={fault} onRetry={reload} />}
      {value === undefined && fault === undefined && <Loading what="approvals" />}
      {value?.length === 0 && <Nothing>No questions are open.</Nothing>}
      <ul className="space-y-3">
        {value?.map((approval) => (
          <li key={approval.approvalId} className="rounded-xl border border-line bg-panel p-4">
            <ApprovalCard approval={approval} onAnswered={reload} />
            <Where approval={approval} />
          </li>
        ))}
      </ul>
      <Resolved key={value?.map(({ approvalId }) => approvalId).join() ?? ''} />
    </Page>
  );
}

function Where({ approval: { sessionId, turnId, createdAt } }: { approval: ApprovalView }) {
  const now = useNow(10_000);
  return (
    <p className="mt-3 flex gap-3 border-t border-line pt-2 text-xs text-muted">
      <span>asked {formatAgo(createdAt, now)}</span>
      <Link href={`/sessions/${sessionId}`} className="text-accent-ink underline">
        Session
      </Link>
      <Link href={`/turns/${turnId}`} className="text-accent-ink underline">
        Timeline
      </Link>
    </p>
  );
}

function Resolved() {
  const load = useCallback(() => client().approvals.list({ status: 'all', limit: 200 }), []);
  const { value } = useResource(load);
  const resolved = (value?.approvals ?? [])
    .filter(({ status }) => status === 'resolved')
    .slice(-20);
  const now = useNow(10_000);
  if (resolved.length === 0) return null;
  return (
    <section className="mt-8">
      <h2 className="mb-2 text-sm font-semibold">Decided</h2>
      <ul className="divide-y divide-line rounded-xl border border-line bg-panel text-sm">
        {resolved
          .reverse()
          .map(({ approvalId, name, decision, by, message, decidedAt, turnId }) => (
            <li key={approvalId} className="flex flex-wrap items-baseline gap-x-3 px-4 py-2">
              <code className="font-mono text-[0.8125rem]">{name}</code>
              <span className={decision === 'deny' ? 'text-bad' : 'text-good'}>{decision}</span>
              <span className="min-w-0 flex-1 truncate text-muted">
                by {by}
                {message ? `: ${message}` : ''}
              </span>
              <Link href={`/turns/${turnId}`} className="text-xs text-accent-ink underline">
                Timeline
              </Link>
              <span className="text-xs text-muted">
                {decidedAt === undefined ? '' : formatAgo(decidedAt, now)}
              </span>
            </li>
          ))}
      </ul>
    </section>
  );
}
