import type { ReactNode } from 'react';
import { Button } from './button.js';
import { CopyButton } from './copy-button.js';
import { Dialog } from './dialog.js';

/** A secret that is shown once. */
export function SecretDialog({
  title,
  secret,
  children,
  onClose,
}: {
  title: string;
  secret: string;
  /** What it is for, and that it is not shown again. */
  children: ReactNode;
  onClose: () => void;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p className="mb-3 text-sm text-muted">{children}</p>
      <div className="flex items-start gap-2 rounded-lg bg-sunken p-3">
        <code className="min-w-0 flex-1 font-mono text-sm select-all [overflow-wrap:anywhere]">
          {secret}
        </code>
        <CopyButton label="Copy secret" text={() => secret} />
      </div>
      <div className="mt-4 flex justify-end">
        <Button look="main" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}
