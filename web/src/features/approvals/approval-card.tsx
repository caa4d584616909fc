import { useMutation } from '@tanstack/react-query';
import { ShieldQuestion } from '../../components/icons.js';
import { useId, useRef, useState, type ReactNode, type RefObject } from 'react';
import { FaultNote } from '../../components/fault-note.js';
import { client } from '../../api/client.js';
import { invalidate, useCounts, useMayApprove } from '../../api/queries.js';
import { COMPOSER_ID } from '../../app/shortcuts.js';
import { publishToTabs } from '../../api/tabs.js';
import { useNow } from '../../hooks/use-now.js';
import { modeWords } from '../chat/composer/permission-modes.js';
import { fileChangeOf } from '../chat/turn/describe-call.js';
import { DiffView } from '../../components/diff-view.js';
import { OutputText } from '../../components/output-text.js';
import type { ApprovalQuestion } from '../chat/conversation/turn-view.js';
import { Button } from '../../components/button.js';
import { formatCountdown } from '../../components/format.js';
import { Spinner } from '../../components/spinner.js';
import { AwaitedPeopleLine } from './awaited-people.js';
import { LoginLink } from '../mcp/login-link.js';
import { DenyForm, EditForm } from './answer-forms.js';
import { CallQuestion } from './question-form.js';

type Mode = 'ask' | 'deny' | 'edit';

/**
 * A question about a tool call, with its answers.
 *
 * @param isOfOthers whether it is a call of somebody else, and the reader is one of those whom it awaits.
 */
export function ApprovalCard({
  approval,
  isOfOthers = false,
}: {
  approval: Omit<ApprovalQuestion, 'toolUseId'>;
  isOfOthers?: boolean;
}) {
  const { approvalId, name, input, reason, kind, awaits } = approval;
  const [mode, setMode] = useState<Mode>('ask');
  const card = useRef<HTMLDivElement>(null);
  const { answer, isBusy, error } = useAnswer(card);
  const titleId = useId();
  const mayApprove = useMayApprove();
  const counts = useCounts(isOfOthers ? undefined : awaits);
  const mayAnswer = mayApprove && counts;
  // The question says what the reason says, and is about itself, not about the call's input.
  const isForm = kind === 'elicitation' && mayAnswer;
  const { approvals } = client();
  const calls = isOfOthers ? approvals.awaited : approvals;
  return (
    <div
      ref={card}
      role="group"
      aria-labelledby={titleId}
      data-question={approvalId}
      className="space-y-3 text-sm"
    >
      <div className="flex flex-wrap items-start gap-x-2 gap-y-1">
        <ShieldQuestion aria-hidden size={16} className="mt-0.5 shrink-0 text-amber" />
        <p id={titleId} className="min-w-48 flex-1 font-medium">
          <Question kind={kind} name={name} />
        </p>
        <Countdown {...approval} />
      </div>
      {reason !== '' && !isForm && <Note>{describeReason(reason)}</Note>}
      <AwaitedPeopleLine awaits={awaits} />
      {mode !== 'edit' && !isForm && <ShownInput name={name} input={input} />}
      {error !== null && <FaultNote fault={error} />}
      {isForm && (
        <CallQuestion
          question={approval.question ?? {}}
          isBusy={isBusy}
          onAnswer={(content) => answer(() => approvals.say(approvalId, content))}
          onDecline={() => answer(() => approvals.deny(approvalId))}
          onDismiss={() => answer(() => approvals.dismiss(approvalId))}
        />
      )}
      {kind === 'client-tool' && (
        <Note>
          The application that started this turn runs the tool and sends its output. Here you can
          only deny the call.
        </Note>
      )}
      {mode === 'deny' && (
        <DenyForm
          isBusy={isBusy}
          onCancel={() => setMode('ask')}
          onDeny={(message) =>
            answer(() => calls.deny(approvalId, message === '' ? undefined : message))
          }
        />
      )}
      {mode === 'edit' && (
        <EditForm
          input={input}
          isBusy={isBusy}
          onCancel={() => setMode('ask')}
          onApprove={(edited) => answer(() => approvals.approve(approvalId, { input: edited }))}
        />
      )}
      {!mayApprove && (
        <Note>Your API key may not answer approvals: it lacks the scope “approvals”.</Note>
      )}
      {mayApprove && !counts && <Note>You do not decide about this call: others do.</Note>}
      {mode === 'ask' && mayAnswer && kind !== 'elicitation' && (
        <div className="flex flex-wrap gap-2">
          {(kind === 'tool' || kind === 'unknown-outcome') && (
            <>
              <Button
                look="main"
                data-answer="allow"
                title="Alt + A"
                aria-keyshortcuts="Alt+A"
                disabled={isBusy}
                onClick={() => answer(() => calls.approve(approvalId))}
              >
                {isBusy && <Spinner size={13} className="text-current" />} Allow once
              </Button>
              {awaits === undefined && (
                <>
                  <Button
                    disabled={isBusy}
                    title="Allows this same call, with this input, for the rest of the session"
                    onClick={() => answer(() => approvals.approveForSession(approvalId))}
                  >
                    Allow for this session
                  </Button>
                  <Button disabled={isBusy} onClick={() => setMode('edit')}>
                    Edit input
                  </Button>
                </>
              )}
            </>
          )}
          {kind === 'mcp-authorize' && !isOfOthers && (
            <LoginLink label="Log in" begin={() => approvals.authorize(approvalId)} />
          )}
          <Button
            look="bad"
            data-answer="deny"
            title="Alt + D"
            aria-keyshortcuts="Alt+D"
            disabled={isBusy}
            onClick={() => setMode('deny')}
          >
            Deny
          </Button>
        </div>
      )}
    </div>
  );
}

function Note({ children }: { children: ReactNode }) {
  return <p className="text-xs text-muted">{children}</p>;
}

function Question({ kind, name }: Pick<ApprovalQuestion, 'kind' | 'name'>) {
  const tool = <code className="font-mono text-[0.8125rem]">{name}</code>;
  switch (kind) {
    case 'tool':
      return <>Allow {tool} to run?</>;
    case 'unknown-outcome':
      return <>Allow {tool} to run again? Its worker stopped, and nobody knows what it did.</>;
    case 'client-tool':
      return <>Waiting for the application to run {tool}</>;
    case 'elicitation':
      return <>{tool} asks something</>;
    case 'mcp-authorize':
      return <>{tool} needs you to log in at its server</>;
    default:
      return <>{tool} waits for an answer that this page does not know</>;
  }
}

/** The server's reason, with the page's names for permission modes. */
function describeReason(reason: string): string {
  return reason.replace(/^(\S+) needs an approval in mode (\S+)$/, (_all, _tool, mode: string) =>
    mode === 'direct' ? '' : `The session’s permissions are “${modeWords(mode)}”.`,
  );
}

function ShownInput({ name, input }: { name: string; input: unknown }) {
  const change = fileChangeOf(name, input);
  if (change !== undefined) return <DiffView {...change} />;
  return <OutputText text={JSON.stringify(input, null, 2)} label="Input" />;
}

/** Sends the answer of a card. */
function useAnswer(card: RefObject<HTMLElement | null>) {
  const { mutate, isIdle, isError, error, reset } = useMutation({
    mutationFn: (send: () => Promise<{ status: string }>) => send(),
    onSuccess: ({ status }) => {
      // The card stays, as others are awaited.
      if (status === 'pending') reset();
      publishToTabs({ type: 'approvals' });
      void invalidate('approvals');
      focusNext(card.current);
    },
  });
  // An answered card stays busy until it disappears.
  return { answer: mutate, isBusy: !isIdle && !isError, error };
}

/** Focuses the next question, or else the message field: the card that had the focus disappears. */
function focusNext(card: HTMLElement | null): void {
  const questions = [...document.querySelectorAll<HTMLElement>('[data-answer=allow]')];
  const next = questions.find((button) => card?.contains(button) !== true);
  const field = document.getElementById(COMPOSER_ID) ?? document.getElementById('main');
  (next ?? field)?.focus();
}

/** The time left to answer, and what happens then. */
function Countdown({
  kind,
  expiresAt,
  onTimeout,
}: Pick<ApprovalQuestion, 'kind' | 'expiresAt' | 'onTimeout'>) {
  const leftMs = Date.parse(expiresAt) - useNow(1_000);
  const words = kind === 'elicitation' ? 'Closed' : onTimeout === 'approve' ? 'Allowed' : 'Denied';
  const look = leftMs < 60_000 ? 'text-bad' : 'text-muted';
  return (
    <span role="timer" aria-live="off" className={`text-xs tabular-nums ${look}`}>
      {leftMs > 0
        ? `${words} automatically in ${formatCountdown(leftMs)}`
        : `${words} automatically now`}
    </span>
  );
}
