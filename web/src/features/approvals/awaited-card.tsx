import { AgentName } from '../../components/agent-name.js';
import type { AwaitedApprovalView } from '#src/client/turnpike-client.js';
import { formatAgo } from '../../components/format.js';
import { useNow } from '../../hooks/use-now.js';
import { ApprovalCard } from './approval-card.js';

/** A call of somebody else, for one of those who decide about it: yes or no. */
export function AwaitedCard({ approval }: { approval: AwaitedApprovalView }) {
  const { requester, agent, createdAt } = approval;
  const now = useNow(10_000);
  return (
    <li className="rounded-xl border border-line bg-panel">
      <p className="flex flex-wrap gap-x-3 border-b border-line px-4 py-2 text-xs text-muted">
        <span className="text-sm font-medium text-ink">{requester}</span>
        <AgentName name={agent} />
        <span>{formatAgo(createdAt, now)}</span>
      </p>
      <div className="p-4">
        <ApprovalCard approval={approval} isOfOthers />
      </div>
    </li>
  );
}
