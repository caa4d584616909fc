import { ShieldQuestion } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import type { AwaitedApprovalView } from '#src/client/turnpike-client.js';
import { client } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { FaultNote } from '../../components/fault-note.js';
import { formatAgo } from '../../components/format.js';
import { useNow } from '../../hooks/use-now.js';
import { DenyForm } from './answer-forms.js';
import { Countdown, describeReason, Question, ShownInput, useAnswer } from './approval-card.js';
import { AwaitedPeopleLine } from './awaited-people.js';

/** A call of somebody else, for one of those who decide about it: yes or no. */
export function AwaitedCard({ approval }: { approval: AwaitedApprovalView }) {
  const { approvalId, name, input, reason, kind, requester, agent, createdAt, awaits } = approval;
  const [isDenying, setIsDenying] = useState(false);
  const card = useRef<HTMLLIElement>(null);
  const { answer, isBusy, error } = useAnswer(card);
  const titleId = useId();
  const now = useNow(10_000);
  const { awaited } = client().approvals;
  return (
    <li ref={card} className="rounded-xl border border-line bg-panel">
      <p className="flex flex-wrap gap-x-3 border-b border-line px-4 py-2 text-xs text-muted">
        <span className="text-sm font-medium text-ink">{requester}</span>
        <span>{agent}</span>
        <span>{formatAgo(createdAt, now)}</span>
      </p>
      <div role="group" aria-labelledby={titleId} className="space-y-3 p-4 text-sm">
        <div className="flex flex-wrap items-start gap-x-2 gap-y-1">
          <ShieldQuestion aria-hidden size={16} className="mt-0.5 shrink-0 text-amber" />
          <p id={titleId} className="min-w-48 flex-1 font-medium">
            <Question kind={kind} name={name} />
          </p>
          <Countdown {...approval} />
        </div>
        {reason !== '' && <p className="text-xs text-muted">{describeReason(reason)}</p>}
        <AwaitedPeopleLine awaits={awaits} />
        <ShownInput name={name} input={input} />
        {error !== null && <FaultNote fault={error} />}
        {isDenying ? (
          <DenyForm
            isBusy={isBusy}
            onCancel={() => setIsDenying(false)}
            onDeny={(message) =>
              answer(() => awaited.deny(approvalId, message === '' ? undefined : message))
            }
          />
        ) : (
          <div className="flex flex-wrap gap-2">
            <Button
              look="main"
              data-answer="allow"
              disabled={isBusy}
              onClick={() => answer(() => awaited.approve(approvalId))}
            >
              Allow once
            </Button>
            <Button look="bad" disabled={isBusy} onClick={() => setIsDenying(true)}>
              Deny
            </Button>
          </div>
        )}
      </div>
    </li>
  );
}
