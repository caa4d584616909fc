import { ShieldQuestion } from '../ui/icons.js';
import { useId, useState } from 'react';
import { FaultNote } from '../app/fault-note.js';
import { client, noteFault } from '../app/client.js';
import { tellTabs } from '../app/tabs.js';
import { fileChangeOf } from '../chat/turn/describe-call.js';
import { DiffView } from '../chat/turn/diff-view.js';
import { OpenText } from '../chat/text/open-text.js';
import type { AskedApproval } from '../chat/conversation/turn-view.js';
import { Button } from '../ui/button.js';
import { Spinner } from '../ui/spinner.js';
import { Countdown } from './countdown.js';
import { DenyForm, EditForm } from './answer-forms.js';

type Mode = 'ask' | 'deny' | 'edit';

/** A question about a tool call, with everything that one can answer. */
export function ApprovalCard({
  approval,
  onAnswered,
}: {
  approval: AskedApproval;
  onAnswered?: () => void;
}) {
  const { approvalId, name, input, reason, kind } = approval;
  const [mode, setMode] = useState<Mode>('ask');
  const { answer, isBusy, fault } = useAnswer(onAnswered);
  const titleId = useId();
  const { approvals } = client();
  return (
    <div role="group" aria-labelledby={titleId} className="space-y-3 text-sm">
      <div className="flex flex-wrap items-start gap-x-2 gap-y-1">
        <ShieldQuestion aria-hidden size={16} className="mt-0.5 shrink-0 text-amber" />
        <p id={titleId} className="min-w-48 flex-1 font-medium">
          {titleOf(kind, name)}
        </p>
        <Countdown {...approval} />
      </div>
      {reason !== '' && <p className="text-xs text-muted">{reason}</p>}
      {mode !== 'edit' && <ShownInput name={name} input={input} />}
      {fault !== undefined && <FaultNote fault={fault} />}
      {kind === 'client-tool' ? (
        <p className="text-xs text-muted">
          The application that started this turn runs the tool and gives its output. It goes on by
          itself; here it can be declined only.
        </p>
      ) : null}
      {mode === 'deny' && (
        <DenyForm
          isBusy={isBusy}
          onCancel={() => setMode('ask')}
          onDeny={(message) =>
            void answer(() => approvals.deny(approvalId, message === '' ? undefined : message))
          }
        />
      )}
      {mode === 'edit' && (
        <EditForm
          input={input}
          isBusy={isBusy}
          onCancel={() => setMode('ask')}
          onApprove={(edited) =>
            void answer(() => approvals.approve(approvalId, { input: edited }))
          }
        />
      )}
      {mode === 'ask' && (
        <div className="flex flex-wrap gap-2">
          {kind !== 'client-tool' && (
            <>
              <Button
                look="main"
                disabled={isBusy}
                onClick={() => void answer(() => approvals.approve(approvalId))}
              >
                {isBusy && <Spinner size={13} />} Approve
              </Button>
              <Button
                disabled={isBusy}
                onClick={() => void answer(() => approvals.approveForSession(approvalId))}
              >
                For this session
              </Button>
              <Button disabled={isBusy} onClick={() => setMode('edit')}>
                Edit input
              </Button>
            </>
          )}
          <Button look="bad" disabled={isBusy} onClick={() => setMode('deny')}>
            Deny
          </Button>
        </div>
      )}
    </div>
  );
}

function titleOf(kind: AskedApproval['kind'], name: string): string {
  switch (kind) {
    case 'tool':
      return `May ${name} run?`;
    case 'unknown-outcome':
      return `May ${name} run again? Nobody knows whether it ran: its process died.`;
    case 'client-tool':
      return `The application must answer ${name}`;
  }
}

function ShownInput({ name, input }: { name: string; input: unknown }) {
  const change = fileChangeOf(name, input);
  if (change !== undefined) return <DiffView {...change} />;
  return <OpenText text={JSON.stringify(input, null, 2)} label="Input" />;
}

function useAnswer(onAnswered: (() => void) | undefined) {
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<unknown>();
  const answer = async (send: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    setFault(undefined);
    try {
      await send();
      tellTabs({ type: 'approvals' });
      onAnswered?.();
    } catch (thrown) {
      setFault(noteFault(thrown));
      setBusy(false);
    }
  };
  return { answer, isBusy, fault };
}
