import { Suspense, useState } from 'react';
import { lazyPart } from '../../../components/lazy-part.js';
import { IconButton } from '../../../components/button.js';
import { GitFork } from '../../../components/icons.js';

const ForkDialog = lazyPart(async () => (await import('./fork-dialog.js')).ForkDialog);

/** Begins a new session at a turn. */
export function ForkButton({ sessionId, turnId }: { sessionId: string; turnId: string }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <IconButton label="Fork from here" className="size-7!" onClick={() => setAsking(true)}>
        <GitFork size={13} />
      </IconButton>
      {isAsking && (
        <Suspense fallback={null}>
          <ForkDialog sessionId={sessionId} turnId={turnId} onClose={() => setAsking(false)} />
        </Suspense>
      )}
    </>
  );
}
