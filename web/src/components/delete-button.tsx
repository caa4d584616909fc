import { useState, type ReactNode } from 'react';
import { Button } from './button.js';
import { ConfirmDialog } from './confirm-dialog.js';
import { Trash2 } from './icons.js';

/** A button that deletes, once a dialog was answered. */
export function DeleteButton({
  label = 'Delete',
  title,
  children,
  onConfirm,
}: {
  label?: string;
  /** The question of the dialog. */
  title: string;
  /** What is lost. */
  children: ReactNode;
  onConfirm: () => Promise<unknown>;
}) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button look="bad" onClick={() => setAsking(true)}>
        <Trash2 aria-hidden size={14} /> {label}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={title}
          action={label}
          onConfirm={onConfirm}
          onClose={() => setAsking(false)}
        >
          {children}
        </ConfirmDialog>
      )}
    </>
  );
}
