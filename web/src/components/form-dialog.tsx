import type { ReactNode } from 'react';
import { MutationFault } from './fault-note.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';

/** A dialog with a form, its fault, and the buttons that close it and send it. */
export function FormDialog({
  title,
  action,
  sending,
  isReady = true,
  isFaultShown = true,
  onSubmit,
  onClose,
  children,
}: {
  title: string;
  /** The words of the button. */
  action: string;
  /** The mutation that sends the form. */
  sending: { isPending: boolean; error: unknown; reset: () => void };
  /** Whether the form may be sent. Default: true. */
  isReady?: boolean;
  /** Whether the fault is shown below the fields. Default: true; false where a field shows it. */
  isFaultShown?: boolean;
  onSubmit: () => void;
  onClose: () => void;
  /** The fields. */
  children: ReactNode;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {children}
        {isFaultShown && <MutationFault of={sending} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="main" disabled={sending.isPending || !isReady}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
