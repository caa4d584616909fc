import { lazy, Suspense, useState, type ComponentProps } from 'react';
import { Button } from '../ui/button.js';

const ReplayDialog = lazy(() =>
  import('./replay-dialog.js').then(({ ReplayDialog }) => ({ default: ReplayDialog })),
);

/** The button that opens the dialog of a replay. */
export function ReplayButton({
  turnId,
  ...props
}: { turnId: string } & Omit<ComponentProps<typeof Button>, 'onClick'>) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button {...props} onClick={() => setOpen(true)}>
        Replay …
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <ReplayDialog turnId={turnId} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
