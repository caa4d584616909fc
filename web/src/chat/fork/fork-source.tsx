import { useCallback } from 'react';
import type { SessionRecord } from '../../../../src/client/turnpike-client.js';
import { client } from '../../app/client.js';
import { Link } from '../../app/link.js';
import { useResource } from '../../app/use-resource.js';
import { GitFork } from '../../ui/icons/icons.js';
import { isMissing } from '../conversation/is-missing.js';

/** Where the history of a fork comes from; its source may be gone. */
export function ForkSource({
  source: { sessionId, position },
}: {
  source: NonNullable<SessionRecord['forkedFrom']>;
}) {
  const load = useCallback(() => client().sessions.get(sessionId), [sessionId]);
  const { value, fault } = useResource(load);
  const isGone = isMissing(fault);
  return (
    <p className="mb-2 flex items-center justify-center gap-1.5 text-xs text-muted">
      <GitFork aria-hidden size={13} className="shrink-0" />
      <span>
        Forked {position} a turn of{' '}
        {isGone || value === undefined ? (
          isGone ? (
            'a session that was deleted.'
          ) : (
            'another session.'
          )
        ) : (
          <Link
            href={`/sessions/${sessionId}`}
            className="text-accent-ink underline underline-offset-2"
          >
            another session
          </Link>
        )}
      </span>
    </p>
  );
}
