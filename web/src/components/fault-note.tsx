import { CircleAlert, RotateCw } from './icons.js';
import { Button } from './button.js';
import { keyRequest } from '../api/api-key.js';
import { logIns } from '../api/log-in.js';
import { describeFault, isUnauthenticated, type DescribedFault } from '../api/describe-fault.js';

interface FaultActions {
  onRetry?: (() => void) | undefined;
  onDismiss?: (() => void) | undefined;
}

/** A failed request, with what to do. */
export function FaultNote({ fault, ...ways }: { fault: unknown } & FaultActions) {
  // The dialog says the rest.
  if (isUnauthenticated(fault)) {
    const isForPeople = logIns.get().length > 0;
    return (
      <p className="py-3 text-sm text-muted">
        {isForPeople ? 'You are not logged in.' : 'This needs an API key.'}{' '}
        <button
          type="button"
          className="text-accent-ink underline"
          onClick={() => keyRequest.set('requested')}
        >
          {isForPeople ? 'Log in' : 'Enter a key'}
        </button>
      </p>
    );
  }
  return <DescribedFaultNote described={describeFault(fault)} {...ways} />;
}

/** Why a mutation failed, until it is dismissed or tried again. */
export function MutationFault({
  of: { error, reset },
}: {
  of: { error: unknown; reset: () => void };
}) {
  return error === null ? null : <FaultNote fault={error} onDismiss={reset} />;
}

/** A fault in words, with buttons to try again and to discard. */
export function DescribedFaultNote({
  described: { text, code },
  onRetry,
  onDismiss,
}: { described: DescribedFault } & FaultActions) {
  return (
    <div
      role="alert"
      className="my-3 flex flex-wrap items-start gap-x-3 gap-y-2 rounded-lg border border-bad/40 bg-bad-wash px-3 py-2 text-sm text-bad"
    >
      <CircleAlert aria-hidden size={16} className="mt-0.5 shrink-0" />
      <p className="min-w-48 flex-1">
        {text}
        {code !== undefined && (
          <code className="mt-0.5 block text-xs [overflow-wrap:anywhere]">{code}</code>
        )}
      </p>
      <span className="flex gap-2">
        {onRetry !== undefined && (
          <Button onClick={onRetry} className="h-7">
            <RotateCw aria-hidden size={13} /> Try again
          </Button>
        )}
        {onDismiss !== undefined && (
          <Button look="quiet" onClick={onDismiss} className="h-7">
            Discard
          </Button>
        )}
      </span>
    </div>
  );
}
