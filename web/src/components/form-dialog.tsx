import type { ReactNode } from 'react';
import { FaultNote } from './fault-note.js';
import type { Act } from '../app/use-act.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';

/** A dialog with a form, its fault and the button that sends it. */
export function FormDialog({
  title,
  action,
  act,
  isReady = true,
  isFaultShown = true,
  hasCancel = false,
  onSubmit,
  onClose,
  children,
}: {
  title: string;
  /** The words of the button. */
  action: string;
  /** What the form is sent by. */
  act: Pick<Act, 'isBusy' | 'fault' | 'dismiss'>;
  /** Whether the form may be sent. Default: true. */
  isReady?: boolean;
  /** Whether the fault is shown below the fields. Default: true; false where a field shows it. */
  isFaultShown?: boolean;
  /** Whether a button closes the dialog. Default: false. */
  hasCancel?: boolean;
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
        {act.fault !== undefined && isFaultShown && (
          <FaultNote fault={act.fault} onDismiss={act.dismiss} />
        )}
        <div className="flex justify-end gap-2">
          {hasCancel && <Button onClick={onClose}>Cancel</Button>}
          <Button type="submit" look="main" disabled={act.isBusy || !isReady}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
