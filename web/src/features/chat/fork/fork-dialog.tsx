import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { ForkedSession } from '#src/client/turnpike-client.js';
import { newKey } from '#src/client/transport/transport.js';
import { client } from '../../../api/client.js';
import { invalidate } from '../../../api/queries.js';
import { FaultNote } from '../../../components/fault-note.js';
import { navigate } from '../../../app/navigation.js';
import { publishToTabs } from '../../../api/tabs.js';
import { Button } from '../../../components/button.js';
import { Dialog } from '../../../components/dialog.js';

type Position = 'after' | 'before';

const positions: { value: Position; words: string; detail: string }[] = [
  { value: 'after', words: 'After this turn', detail: 'The new session includes this turn.' },
  { value: 'before', words: 'Before this turn', detail: 'The new session ends before it.' },
];

/** Forks the session before or after a turn, and opens the fork. */
export function ForkDialog({
  sessionId,
  turnId,
  onClose,
}: {
  sessionId: string;
  turnId: string;
  onClose: () => void;
}) {
  const [position, setPosition] = useState<Position>('after');
  const [fork, setFork] = useState<ForkedSession>();
  // Each position has one idempotency key: a retry after a lost response gets the fork that exists already.
  const [keys] = useState<Record<Position, string>>(() => ({ after: newKey(), before: newKey() }));
  const name = useId();
  const forking = useMutation({
    mutationFn: () => client().sessions.fork(sessionId, { turnId, position }, keys[position]),
    onSuccess: (made) => {
      void invalidate('sessions');
      publishToTabs({ type: 'sessions' });
      if (made.filesWritten === undefined) open(made);
      else setFork(made);
    },
  });
  if (fork !== undefined) {
    return (
      <Dialog title="Files stay as they are" onClose={onClose}>
        <KeptFiles fork={fork} />
        <div className="mt-4 flex justify-end">
          <Button look="main" onClick={() => open(fork)}>
            Open the fork
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title="Fork from here" onClose={onClose}>
      <fieldset>
        <legend className="mb-2 text-sm text-muted">
          Starts a new session with this history. This session does not change.
        </legend>
        {positions.map(({ value, words, detail }) => (
          <label key={value} className="flex items-start gap-2 py-1 text-sm">
            <input
              type="radio"
              name={name}
              checked={position === value}
              onChange={() => setPosition(value)}
              className="mt-1 accent-accent"
            />
            <span>
              {words}
              <span className="block text-xs text-muted">{detail}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {forking.error !== null && <FaultNote fault={forking.error} />}
      <div className="mt-4 flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="main" disabled={forking.isPending} onClick={() => forking.mutate()}>
          Fork
        </Button>
      </div>
    </Dialog>
  );
}

function open({ session }: ForkedSession): void {
  navigate(`/sessions/${session.sessionId}`);
}

/** The files that later turns wrote. A fork does not revert them. */
function KeptFiles({ fork: { filesWritten } }: { fork: ForkedSession }) {
  if (filesWritten === undefined) return null;
  const { paths, more, ranCommands } = filesWritten;
  return (
    <div className="text-sm text-soft">
      {paths.length > 0 && (
        <>
          <p>Later turns wrote these files. The fork does not undo that:</p>
          <ul
            aria-label="Files that were written"
            tabIndex={0}
            className="my-2 max-h-48 overflow-y-auto rounded-lg bg-sunken p-2.5 font-mono text-xs leading-5 [overflow-wrap:anywhere]"
          >
            {paths.map((path) => (
              <li key={path}>{path}</li>
            ))}
            {more > 0 && <li>and {more} more</li>}
          </ul>
        </>
      )}
      {ranCommands && <p>Commands also ran, which may have changed other files.</p>}
      <p className="mt-2 text-xs text-muted">The model learns of it with your next message.</p>
    </div>
  );
}
