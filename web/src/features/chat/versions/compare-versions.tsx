import { useEffect, useId, useState } from 'react';
import { DescribedFaultNote } from '../../../components/fault-note.js';
import { useValue } from '../../../hooks/value-store.js';
import { Dialog } from '../../../components/dialog.js';
import type { Conversation } from '../conversation/conversation.js';
import { branchFrom } from '../conversation/visible-branch.js';
import type { ChatTurn } from '../conversation/turn-view.js';
import { TurnItems } from '../conversation/turn-items.js';
import { describeTurnFault } from '../turn/describe-turn-fault.js';
import { TurnStatus } from '../turn/turn-status.js';
import { UserMessage } from '../turn/user-message.js';

/** Two versions of a turn, each with the turns that followed it. */
export function CompareVersions({
  versions,
  shown,
  conversation,
  onClose,
}: {
  /** Oldest first, two at least. */
  versions: readonly ChatTurn[];
  shown: ChatTurn;
  conversation: Conversation;
  onClose: () => void;
}) {
  const at = versions.findIndex(({ turnId }) => turnId === shown.turnId);
  const other = Math.max(0, at - 1);
  const [left, setLeft] = useState(other);
  const [right, setRight] = useState(Math.max(other + 1, at));
  const { turns } = useValue(conversation.state);
  const side = { versions, turns, conversation };
  return (
    <Dialog title="Versions side by side" isWide onClose={onClose}>
      <div className="grid gap-4 text-sm text-ink md:grid-cols-2">
        <Side {...side} label="Left version" at={left} onChoose={setLeft} />
        <Side {...side} label="Right version" at={right} onChoose={setRight} />
      </div>
    </Dialog>
  );
}

function Side({
  label,
  versions,
  at,
  turns,
  conversation,
  onChoose,
}: {
  label: string;
  versions: readonly ChatTurn[];
  at: number;
  turns: readonly ChatTurn[];
  conversation: Conversation;
  onChoose: (at: number) => void;
}) {
  const id = useId();
  const version = versions[at];
  const line = version === undefined ? [] : branchFrom(turns, version);
  const stored = line
    .filter(({ view }) => view.phase === 'ended' && view.durationMs === undefined)
    .map(({ turnId }) => turnId)
    .join(' ');
  useEffect(() => {
    for (const turnId of stored.split(' ')) if (turnId !== '') void conversation.hydrate(turnId);
  }, [conversation, stored]);
  return (
    <section aria-label={label} className="min-w-0">
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <select
        id={id}
        value={at}
        onChange={({ target }) => onChoose(Number(target.value))}
        className="mb-2 h-8 w-full rounded-lg border border-line-strong bg-panel px-2 text-sm"
      >
        {versions.map(({ turnId, supersededBy }, index) => (
          <option key={turnId} value={index}>
            Version {index + 1}
            {supersededBy === undefined ? ', in the conversation' : ''}
          </option>
        ))}
      </select>
      <div
        tabIndex={0}
        role="group"
        aria-label={`Turns of the ${label.toLowerCase()}`}
        className="max-h-[65vh] overflow-y-auto rounded-xl border border-line bg-canvas px-3 py-2 max-md:max-h-[32vh]"
      >
        {line.map(({ turnId, user, view }) => (
          <article key={turnId} aria-label="Turn" className="py-2">
            <UserMessage user={user} />
            <TurnItems view={view} />
            {view.fault !== undefined && (
              <DescribedFaultNote described={describeTurnFault(view.fault)} />
            )}
            <TurnStatus view={view} />
          </article>
        ))}
      </div>
    </section>
  );
}
