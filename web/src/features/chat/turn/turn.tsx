import { memo, useState, useEffect, useId, useRef, type KeyboardEvent } from 'react';
import { DescribedFaultNote, FaultNote } from '../../../components/fault-note.js';
import type { Conversation } from '../conversation/conversation.js';
import type { ChatTurn } from '../conversation/turn-view.js';
import { TurnItems } from '../conversation/turn-items.js';
import { turnOpts, turnOptions } from '../composer/turn-options.js';
import { replyMarkdown } from '../conversation/conversation-markdown.js';
import { ReplayButton } from '../../replay/replay-button.js';
import { ForkButton } from '../fork/fork-button.js';
import { TurnFeedback } from '../feedback/turn-feedback.js';
import { IconButton, Button } from '../../../components/button.js';
import { CopyButton } from '../../../components/copy-button.js';
import { Pencil, RotateCw } from '../../../components/icons.js';
import { VersionSwitch } from '../versions/version-switch.js';
import { describeTurnFault } from './describe-turn-fault.js';
import { changedOptions } from './options-of-turn.js';
import { isLive, TurnStatus } from './turn-status.js';
import { UserMessage } from './user-message.js';
import { useNearViewport } from '../../../hooks/use-near-viewport.js';

const leftOutWords: Record<NonNullable<ChatTurn['leftOut']>, string> = {
  refused: 'Left out: the provider refused this message, and the model is not sent it.',
  'too-long': 'Left out: this message is too long for the model, and the model is not sent it.',
  declined: 'Left out: the model declined to answer this message, and is not sent it again.',
};

/** Actions of earlier turns are shown where the pointer or the focus is, and always where there is no pointer. */
const shownOnUse = 'focus-within:opacity-100 group-hover/turn:opacity-100 pointer-fine:opacity-0';

/** A turn: the user's message, the reply and the status. */
export const Turn = memo(function Turn({
  turn,
  versions,
  isLast,
  mayReplay,
  conversation,
  onSend,
  onChoose,
}: {
  turn: ChatTurn;
  /** All versions of the turn, oldest first; undefined: there is only this one. */
  versions: readonly ChatTurn[] | undefined;
  isLast: boolean;
  /** Whether a replay of it may be asked for, once it has ended. */
  mayReplay: boolean;
  conversation: Conversation;
  onSend: (...args: Parameters<Conversation['send']>) => void;
  onChoose: (point: string, version: string) => void;
}) {
  const { user, view, fault, turnId, submission } = turn;
  // False once an edit was cancelled: the button has the focus again.
  const [isEdited, setEdited] = useState<boolean>();
  // Options that the user changes in the composer from now on apply to the message that replaces this turn.
  const [composerWas] = useState(() => turnOpts(turnOptions.get()));
  const isStored = view.phase === 'ended' && view.durationMs === undefined;
  const seen = useNearViewport(turnId, isStored, () => void conversation.hydrate(turnId));
  const isInForce = submission === undefined && turn.supersededBy === undefined;
  const canRegenerate = isInForce && isLast;
  const reply = view.phase === 'ended' ? replyMarkdown(view) : '';
  const resend = (message: string): void => {
    setEdited(undefined);
    const opts = changedOptions(composerWas, turnOpts(turnOptions.get()));
    onSend(instead(turn, message, opts), user.files);
  };
  return (
    <article ref={seen} className="turn group/turn py-3" aria-label="Turn">
      {turn.supersededBy !== undefined && versions !== undefined && (
        <p className="my-2 text-center text-xs text-muted">
          Earlier version: the model does not see this message or the ones after it.
        </p>
      )}
      {isEdited === true ? (
        <MessageEditor user={user} onCancel={() => setEdited(false)} onSend={resend} />
      ) : (
        <UserMessage user={user} />
      )}
      {isEdited !== true && (isInForce || versions !== undefined) && (
        <div
          className={`-mt-2 mb-2 flex items-center justify-end gap-1 ${versions === undefined ? shownOnUse : ''}`}
        >
          {versions !== undefined && (
            <VersionSwitch
              versions={versions}
              shown={turn}
              conversation={conversation}
              onChoose={onChoose}
            />
          )}
          {isInForce && (
            <Button
              look="quiet"
              aria-label="Edit message"
              className="h-7! gap-1! px-2! text-xs!"
              autoFocus={isEdited === false}
              onClick={() => setEdited(true)}
            >
              <Pencil aria-hidden size={12} /> Edit
            </Button>
          )}
        </div>
      )}
      {turn.leftOut !== undefined && (
        <p className="my-2 text-center text-xs text-muted">{leftOutWords[turn.leftOut]}</p>
      )}
      {turn.compacted === true && (
        <p className="my-2 text-center text-xs text-muted">
          Summarised: the model sees a summary of this turn.
        </p>
      )}
      <div className="min-w-0" aria-busy={view.phase !== 'ended'}>
        <h2 className="sr-only">Reply</h2>
        <TurnItems view={view} />
        {view.fault !== undefined && (
          <DescribedFaultNote
            described={describeTurnFault(view.fault)}
            onRetry={
              view.phase === 'ended' && view.fault.retryable
                ? () => onSend(again(turn), user.files)
                : undefined
            }
          />
        )}
        {fault !== undefined && (
          <FaultNote
            fault={fault}
            onRetry={() => void conversation.retry(turnId)}
            onDismiss={submission === undefined ? undefined : () => conversation.discard(turnId)}
          />
        )}
      </div>
      {fault === undefined && !isLive(view) && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <TurnStatus view={view} />
          {view.phase === 'ended' && <TurnFeedback key={turnId} turnId={turnId} />}
          {view.phase === 'ended' && (
            <span className={`inline-flex items-center ${isLast ? '' : shownOnUse}`}>
              {reply !== '' && (
                <CopyButton label="Copy reply" className="size-7!" text={() => reply} />
              )}
              {canRegenerate && (
                <IconButton
                  label="Regenerate"
                  className="size-7!"
                  onClick={() => resend(user.text)}
                >
                  <RotateCw size={13} />
                </IconButton>
              )}
              <ForkButton sessionId={conversation.sessionId} turnId={turnId} />
              {mayReplay && <ReplayButton turnId={turnId} isSmall />}
            </span>
          )}
        </div>
      )}
    </article>
  );
});

/** Sends the message again with its files and the current options. */
function again({ user }: ChatTurn) {
  const attachments = user.files.map(({ id }) => id);
  return { message: user.text, attachments, opts: turnOpts(turnOptions.get()) };
}

/**
 * Replaces the turn's message. The new one has the same files.
 *
 * @param opts override the options that the turn was sent with.
 */
function instead({ user, turnId }: ChatTurn, message: string, opts: Record<string, unknown>) {
  const attachments = user.files.map(({ id }) => id);
  return { message, attachments, opts, replaces: turnId };
}

/** Edits a message. The new message supersedes the turn. */
function MessageEditor({
  user,
  onCancel,
  onSend,
}: {
  user: ChatTurn['user'];
  onCancel: () => void;
  onSend: (message: string) => void;
}) {
  const [text, setText] = useState(user.text);
  const field = useRef<HTMLTextAreaElement>(null);
  const hintId = useId();
  const isReady = text.trim() !== '' || user.files.length > 0;
  useEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(user.text.length, user.text.length);
  }, [user.text]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') onCancel();
    else if (event.key !== 'Enter' || event.shiftKey) return;
    else if (isReady) onSend(text);
    // Escape would stop the turn that runs.
    event.preventDefault();
  };
  return (
    <div className="mb-3 ml-8 rounded-2xl border border-accent bg-panel p-1.5 sm:ml-16">
      <textarea
        ref={field}
        rows={1}
        aria-label="Edited message"
        aria-describedby={hintId}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={onKeyDown}
        className="block max-h-60 min-h-12 w-full resize-none bg-transparent px-2 pt-1.5 outline-none [field-sizing:content]"
      />
      <div className="flex flex-wrap items-end justify-end gap-2 pl-2">
        <p id={hintId} className="min-w-48 flex-1 pb-1 text-xs text-muted">
          Replaces this message and everything after it. The earlier version stays readable. Files
          in the folder stay as they are.
        </p>
        <Button look="quiet" onClick={onCancel}>
          Cancel
        </Button>
        <Button look="main" disabled={!isReady} onClick={() => onSend(text)}>
          Send
        </Button>
      </div>
    </div>
  );
}
