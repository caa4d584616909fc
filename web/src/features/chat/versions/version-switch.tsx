import { Suspense, useState } from 'react';
import { lazyPart } from '../../../components/lazy-part.js';
import { IconButton } from '../../../components/button.js';
import { ChevronLeft, ChevronRight, Columns2 } from '../../../components/icons.js';
import type { Conversation } from '../conversation/conversation.js';
import type { ChatTurn } from '../conversation/turn-view.js';

const CompareVersions = lazyPart(
  async () => (await import('./compare-versions.js')).CompareVersions,
);

/** Steps through the versions of a turn. */
export function VersionSwitch({
  versions,
  shown,
  conversation,
  onChoose,
}: {
  /** Oldest first. */
  versions: readonly ChatTurn[];
  /** The version on the screen. */
  shown: ChatTurn;
  conversation: Conversation;
  onChoose: (point: string, version: string) => void;
}) {
  const [isComparing, setComparing] = useState(false);
  const at = versions.findIndex(({ turnId }) => turnId === shown.turnId);
  const [before, after] = [versions[at - 1], versions[at + 1]];
  const show = (version: ChatTurn | undefined): void => {
    const [first] = versions;
    if (first !== undefined && version !== undefined) onChoose(first.turnId, version.turnId);
  };
  return (
    <div role="group" aria-label="Versions" className="flex items-center text-xs text-muted">
      <IconButton
        label="Earlier version"
        className="size-7! aria-disabled:opacity-50"
        aria-disabled={before === undefined}
        onClick={() => show(before)}
      >
        <ChevronLeft size={14} />
      </IconButton>
      <span aria-live="polite" className="tabular-nums">
        {at + 1} / {versions.length}
      </span>
      <IconButton
        label="Later version"
        className="size-7! aria-disabled:opacity-50"
        aria-disabled={after === undefined}
        onClick={() => show(after)}
      >
        <ChevronRight size={14} />
      </IconButton>
      <IconButton
        label="Versions side by side"
        className="size-7!"
        onClick={() => setComparing(true)}
      >
        <Columns2 size={14} />
      </IconButton>
      {isComparing && (
        <Suspense fallback={null}>
          <CompareVersions
            versions={versions}
            shown={shown}
            conversation={conversation}
            onClose={() => setComparing(false)}
          />
        </Suspense>
      )}
    </div>
  );
}
