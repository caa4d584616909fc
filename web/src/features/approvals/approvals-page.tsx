import { AgentName } from '../../components/agent-name.js';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ListedApprovalView } from '#src/client/turnpike-client.js';
import { client } from '../../api/client.js';
import { Link } from 'wouter';
import { HelpLink, LoadedList, EmptyState, Page, Section } from '../../components/page.js';
import { useAwaitedApprovals, usePendingApprovals } from '../../api/queries.js';
import { useNow } from '../../hooks/use-now.js';
import { formatAgo } from '../../components/format.js';
import { ApprovalCard } from './approval-card.js';
import { AwaitedCard } from './awaited-card.js';

/** Decisions that the page shows. */
const SHOWN = 20;

/** What others ask, what the caller's own turns wait for, and the latest decisions. */
export function ApprovalsPage() {
  const pending = usePendingApprovals();
  const { data: awaited = [] } = useAwaitedApprovals();
  return (
    <Page title="Approvals" lead="Tool calls that are waiting for a decision.">
      {awaited.length > 0 && (
        <Section title="Asked of you by others" className="mb-8">
          <ul className="space-y-3">
            {awaited.map((approval) => (
              <AwaitedCard key={approval.approvalId} approval={approval} />
            ))}
          </ul>
        </Section>
      )}
      <Section title="Your own turns wait for" className="mt-0">
        <LoadedList
          from={pending}
          what="approvals"
          nothing={
            <EmptyState title="Nothing is waiting for you.">
              A tool that changes files or runs commands asks here first.{' '}
              <HelpLink topic="guide/approvals">How approvals work</HelpLink>
            </EmptyState>
          }
        >
          {(approval) => (
            <li key={approval.approvalId} className="rounded-xl border border-line bg-panel">
              <Where approval={approval} />
              <div className="p-4">
                <ApprovalCard approval={approval} />
              </div>
            </li>
          )}
        </LoadedList>
      </Section>
      <Decided pending={pending.data?.map(({ approvalId }) => approvalId) ?? []} />
    </Page>
  );
}

/** The session that an approval is of. */
function Where({ approval }: { approval: ListedApprovalView }) {
  const { sessionId, turnId, createdAt, session } = approval;
  const now = useNow(10_000);
  return (
    <div className="border-b border-line px-4 py-2 text-xs text-muted">
      <Link
        href={`/sessions/${sessionId}`}
        className="block truncate text-sm font-medium text-accent-ink hover:underline"
      >
        {session.title ?? 'Session'}
      </Link>
      <p className="flex flex-wrap gap-x-3">
        <AgentName name={session.persona} />
        <span className="min-w-0 truncate font-mono" title={session.projectRoot}>
          {session.projectRoot}
        </span>
        <span>{formatAgo(createdAt, now)}</span>
        <Link href={`/turns/${turnId}`} className="text-accent-ink underline">
          Timeline
        </Link>
      </p>
    </div>
  );
}

const decisions: Record<string, { words: string; look: string }> = {
  approve: { words: 'allowed', look: 'text-good' },
  'approve-session': { words: 'allowed for the session', look: 'text-good' },
  answer: { words: 'answered', look: 'text-good' },
  deny: { words: 'denied', look: 'text-bad' },
  cancelled: { words: 'cancelled', look: 'text-muted' },
};

/** The latest decisions, loaded again when other approvals are pending. */
function Decided({ pending }: { pending: readonly string[] }) {
  const { data } = useQuery({
    queryKey: ['approvals', 'all', pending],
    queryFn: () => client().approvals.list({ status: 'all', limit: 200 }),
    placeholderData: keepPreviousData,
  });
  const decided = (data?.approvals ?? [])
    .filter(({ status }) => status === 'resolved')
    .slice(-SHOWN)
    .reverse();
  if (decided.length === 0) return null;
  return (
    <Section title="Decided">
      <ul className="divide-y divide-line rounded-xl border border-line bg-panel text-sm">
        {decided.map((approval) => (
          <DecidedRow key={approval.approvalId} approval={approval} />
        ))}
      </ul>
    </Section>
  );
}

function DecidedRow({ approval }: { approval: ListedApprovalView }) {
  const { name, decision = '', by, message, decidedAt, sessionId, session } = approval;
  const now = useNow(10_000);
  const { words, look } = decisions[decision] ?? { words: decision, look: '' };
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 px-4 py-2">
      <code className="font-mono text-[0.8125rem]">{name}</code>
      <span className={look}>{words}</span>
      <span className="ml-auto text-xs text-muted sm:order-last sm:ml-0">
        {decidedAt === undefined ? '' : formatAgo(decidedAt, now)}
      </span>
      <span className="min-w-0 flex-1 truncate text-muted max-sm:basis-1/2">
        {by === 'deadline' || by === 'server' ? 'automatically' : `by ${by}`}
        {message ? `: ${message}` : ''}
      </span>
      <Link
        href={`/sessions/${sessionId}`}
        className="max-w-60 truncate text-xs text-accent-ink underline max-sm:max-w-[40%]"
      >
        {session.title ?? 'Session'}
      </Link>
    </li>
  );
}
