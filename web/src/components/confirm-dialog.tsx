import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { MutationFault } from './fault-note.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';

/**
 * Asks before something that cannot be undone. The button that confirms is not under the pointer and has no focus, so
 * that a double click or a second Enter does nothing.
 */
export function ConfirmDialog({
  title,
  action,
  children,
  onConfirm,
  onClose,
}: {
  title: string;
  /** The words of the button. */
  action: string;
  /** What is lost. */
  children: ReactNode;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}) {
  const confirmed = useMutation({ mutationFn: onConfirm, onSuccess: onClose });
  return (
    <Dialog title={title} onClose={onClose}>
      <p className="text-sm text-soft">{children}</p>
      <MutationFault of={confirmed} />
      <div className="mt-4 flex justify-end gap-2">
        <Button data-first onClick={onClose}>
          Cancel
        </Button>
        <Button look="bad" disabled={confirmed.isPending} onClick={() => confirmed.mutate()}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
