import { useState } from 'react';
import type { ChatApproval, ChatCall, TurnpikeChat } from 'turnpike/client/react';
import { changeOf, Diff } from './diff.tsx';

type Decision = Parameters<TurnpikeChat['answer']>[1];

interface ApprovalCardProps {
  call: Pick<ChatCall, 'name' | 'input'>;
  approval: Pick<ChatApproval, 'approvalId' | 'kind' | 'reason'> & Partial<ChatApproval>;
  onAnswer: TurnpikeChat['answer'];
  /** Whether a person may allow all such calls of the chat at once. */
  hasAlways?: boolean;
}

/** The question whether a call may run: what it would change, and the answers. */
export function ApprovalCard(props: ApprovalCardProps) {
  const { call, approval, onAnswer, hasAlways = true } = props;
  const { approvalId, kind, reason, awaits, expiresAt, onTimeout } = approval;
  const [sent, setSent] = useState<Decision>();
  const { change, others } = changeOf(call.input);
  const answer = async (decision: Decision) => {
    setSent(decision);
    if (!(await onAnswer(approvalId, decision))) setSent(undefined);
  };
  const button = (decision: Decision, label: string, look = '') => (
    <button className={look} disabled={sent !== undefined} onClick={() => void answer(decision)}>
      {label}
    </button>
  );
  // Others ask for a form or a log-in, which the console has.
  const isAboutCall = kind === 'tool' || kind === 'unknown-outcome';
  return (
    <section className="approval" aria-label={`Approval of ${call.name}`}>
      <h3>
        {isAboutCall ? 'May ' : 'A question of '}
        <code>{call.name}</code>
        {isAboutCall && ' run?'}
      </h3>
      <p>{isRule(reason) ? 'This needs your approval.' : reason}</p>
      {others.length > 0 && (
        <dl>
          {others.map(([field, value]) => (
            <div key={field}>
              <dt>{field}</dt>
              <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
            </div>
          ))}
        </dl>
      )}
      {change !== undefined && <Diff {...change} />}
      {awaits === undefined ? (
        <div className="buttons">
          {isAboutCall && button('approve', 'Approve', 'primary')}
          {kind === 'tool' && hasAlways && button('approve-session', 'Always in this chat')}
          {button('deny', 'Deny')}
          {expiresAt !== undefined && (
            <small>
              Without an answer, it is {onTimeout === 'approve' ? 'approved' : 'denied'} at{' '}
              {timeOf(expiresAt)}
            </small>
          )}
        </div>
      ) : (
        <p>
          Waits for{' '}
          {awaits
            .map(({ by, count }) => `${count} with the role ${by.join(' or ')}`)
            .join(', and ')}
          .
        </p>
      )}
    </section>
  );
}

/** Whether the reason is the server's own rule, whose words are for its operator. */
function isRule(reason: string): boolean {
  return / needs an approval in mode \w+$/.test(reason);
}

function timeOf(at: string): string {
  return new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
}
