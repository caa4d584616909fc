import { ShieldQuestion } from '../ui/icons/icons.js';
import { useId, useState } from 'react';
import { FaultNote } from '../app/fault-note.js';
import { client, reportFault } from '../app/client.js';
import { publishToTabs } from '../app/tabs.js';
import { useNow } from '../app/use-now.js';
import { fileChangeOf } from '../chat/turn/describe-call.js';
import { DiffView } from '../chat/turn/diff-view.js';
import { OpenText } from '../chat/text/open-text.js';
import type { ApprovalQuestion } from '../chat/conversation/turn-view.js';
import { Button } from '../ui/button.js';
import { formatCountdown } from '../ui/format.js';
import { Spinner } from '../ui/spinner.js';
import { DenyForm, EditForm } from './answer-forms.js';

type Mode = 'ask' | 'deny' | 'edit';

/** A question about a tool call, with its answers. */
export function ApprovalCard({
  approval,
  onAnswered,
}: {
  approval: ApprovalQuestion;
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
          The client that started this turn runs the tool and sends its output. Here the call can
          only be denied.
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

function titleOf(kind: ApprovalQuestion['kind'], name: string): string {
  switch (kind) {
    case 'tool':
      return `May ${name} run?`;
    case 'unknown-outcome':
      return `May ${name} run again? Its worker died, so its outcome is unknown.`;
    case 'client-tool':
      return `The client must answer ${name}`;
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
      publishToTabs({ type: 'approvals' });
      onAnswered?.();
    } catch (thrown) {
      setFault(reportFault(thrown));
      setBusy(false);
    }
  };
  return { answer, isBusy, fault };
}

/** The time left to answer, and what happens then. */
function Countdown({ expiresAt, onTimeout }: { expiresAt: string; onTimeout: 'approve' | 'deny' }) {
  const leftMs = Date.parse(expiresAt) - useNow(1_000);
  const words = onTimeout === 'approve' ? 'approved' : 'denied';
  const look = leftMs < 60_000 ? 'text-bad' : 'text-muted';
  return (
    <span role="timer" aria-live="off" className={`text-xs tabular-nums ${look}`}>
      {leftMs > 0
        ? `${formatCountdown(leftMs)} left to answer, then ${words}`
        : `Time is up: being ${words}`}
    </span>
  );
}
