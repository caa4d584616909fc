import { memo, useEffect, useRef } from 'react';
import { DescribedFaultNote, FaultNote } from '../../app/fault-note.js';
import type { Conversation } from '../conversation/conversation.js';
import { describeTurnFault } from './describe-turn-fault.js';
import type { ShownTurn } from '../conversation/shown-turn.js';
import { FileChip } from '../composer/file-chip.js';
import { TurnItems } from '../conversation/turn-items.js';
import { turnOpts, turnOptions } from '../composer/turn-options.js';
import { isLive, TurnStatus } from './turn-status.js';

/** A turn: the user's message, the reply and the status. */
export const Turn = memo(function Turn({
  turn,
  conversation,
}: {
  turn: ShownTurn;
  conversation: Conversation;
}) {
  const { user, view, fault, turnId, submission } = turn;
  const isStored = view.phase === 'ended' && view.durationMs === undefined;
  const seen = useNearViewport(isStored, () => void conversation.hydrate(turnId));
  return (
    <article ref={seen} className="turn py-3" aria-label="Turn">
      <UserMessage user={user} />
      {turn.compacted === true && (
        <p className="my-2 text-center text-xs text-muted">
          Summarised: the model reads a summary of this turn.
        </p>
      )}
      <div className="min-w-0" aria-busy={view.phase !== 'ended'}>
        <h2 className="sr-only">Reply</h2>
        <TurnItems view={view} />
        {view.fault !== undefined && (
          <DescribedFaultNote
            described={describeTurnFault(view.fault)}
            onRetry={
              view.phase === 'ended' && view.fault.retryable && user.text !== ''
                ? () => void conversation.send(again(turn), user.files)
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
      {fault === undefined && !isLive(view) && <TurnStatus view={view} />}
    </article>
  );
});

/** Sends the message again with the current options, without its files, which the session has. */
function again({ user }: ShownTurn) {
  return { message: user.text, attachments: [], opts: turnOpts(turnOptions.get()) };
}

function UserMessage({ user: { text, files } }: Pick<ShownTurn, 'user'>) {
  if (text === '' && files.length === 0) return null;
  return (
    <div className="mb-3 flex flex-col items-end gap-2 pl-8 sm:pl-16">
      <h2 className="sr-only">You</h2>
      {files.length > 0 && (
        <ul className="flex max-w-full flex-wrap justify-end gap-2">
          {files.map((file, index) => (
            <li key={index} className="max-w-full">
              <FileChip file={file} />
            </li>
          ))}
        </ul>
      )}
      {text !== '' && (
        <p className="max-w-full rounded-2xl rounded-br-md bg-accent-wash px-3.5 py-2 whitespace-pre-wrap [overflow-wrap:anywhere]">
          {text}
        </p>
      )}
    </div>
  );
}

/** Calls `onSeen` once, when the element comes near the viewport. */
function useNearViewport(isWanted: boolean, onSeen: () => void) {
  const element = useRef<HTMLElement>(null);
  const latest = useRef(onSeen);
  latest.current = onSeen;
  useEffect(() => {
    if (!isWanted || element.current === null) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        latest.current();
      },
      { rootMargin: '200px' },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [isWanted]);
  return element;
}
