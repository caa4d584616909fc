import { Suspense, useState } from 'react';
import { lazyPart } from '../../components/lazy-part.js';
import { Button, IconButton } from '../../components/button.js';
import { History } from '../../components/icons.js';

const ReplayDialog = lazyPart(async () => (await import('./replay-dialog.js')).ReplayDialog);

/** Opens the dialog that runs a turn again. */
export function ReplayButton({
  turnId,
  isSmall = false,
}: {
  turnId: string;
  /** An icon alone. Default: false. */
  isSmall?: boolean;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      {isSmall ? (
        <IconButton label="Replay" className="size-7!" onClick={() => setOpen(true)}>
          <History size={13} />
        </IconButton>
      ) : (
        <Button onClick={() => setOpen(true)}>
          <History aria-hidden size={14} /> Replay
        </Button>
      )}
      {isOpen && (
        <Suspense fallback={null}>
          <ReplayDialog turnId={turnId} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
