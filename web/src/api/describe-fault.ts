import { ConnectionLostError, TurnpikeError } from '#src/client/transport/client-errors.js';
import { isLoggedIn } from './log-in.js';
import { isPlainObject } from '#src/platform/json.js';

export interface DescribedFault {
  /** The fault in words, and what to do. */
  text: string;
  /** The error's code, for bug reports. */
  code?: string;
  /** Whether the same request may work later. */
  isRetryable: boolean;
}

/** The text of a failed request, for the credential of the page. */
export function describeFault(fault: unknown): DescribedFault {
  if (fault instanceof TurnpikeError) {
    const { message, code, retryable } = fault;
    const scope = missingScope(fault);
    if (scope === undefined) return { text: message, code, isRetryable: retryable };
    if (code === 'FORBIDDEN_SCOPE' && isLoggedIn.get()) {
      const words = `Your role may not do this: it lacks the scope “${scope}”. Ask an administrator for a group that has it.`;
      return { text: words, code, isRetryable: false };
    }
    const text = `Your API key may not do this: it lacks the scope “${scope}”. Ask an administrator for a key that has it.`;
    return { text, code, isRetryable: false };
  }
  if (fault instanceof ConnectionLostError) {
    return {
      text: 'The server does not answer. Check that it is running, then try again. Messages that were accepted are not lost.',
      isRetryable: true,
    };
  }
  if (isLoadFault(fault)) {
    return {
      text: 'This part of the console could not be loaded. Check that the server is running, then reload.',
      isRetryable: true,
    };
  }
  const text = fault instanceof Error ? fault.message : String(fault);
  return { text: `The page failed: ${text}. Reload it.`, isRetryable: true };
}

/** Whether the server refused the request because of its key. Pure. */
export function isUnauthenticated(fault: unknown): fault is TurnpikeError {
  return fault instanceof TurnpikeError && fault.status === 401;
}

/** Whether a script of the page could not be loaded; each browser words it differently. Pure. */
export function isLoadFault(fault: unknown): boolean {
  return (
    fault instanceof TypeError &&
    /dynamically imported module|importing a module script failed/i.test(fault.message)
  );
}

function missingScope({ code, details }: TurnpikeError): string | undefined {
  if (code !== 'FORBIDDEN_SCOPE' || !isPlainObject(details)) return undefined;
  const { needed } = details;
  return typeof needed === 'string' ? needed : undefined;
}
