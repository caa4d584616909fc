import { ConnectionLostError, TurnpikeError } from '../../../src/client/transport/client-errors.js';

export interface DescribedFault {
  /** The fault in words, and what to do. */
  text: string;
  /** The error's code, for bug reports. */
  code?: string;
  /** Whether the same request may work later. */
  isRetryable: boolean;
}

/** The text of a failed request. Pure. */
export function describeFault(fault: unknown): DescribedFault {
  if (fault instanceof TurnpikeError) {
    const { message, code, retryable } = fault;
    return { text: message, code, isRetryable: retryable };
  }
  if (fault instanceof ConnectionLostError) {
    return {
      text: 'The server does not answer. Check that it runs, then try again: accepted turns are not lost.',
      isRetryable: true,
    };
  }
  const text = fault instanceof Error ? fault.message : String(fault);
  return {
    text: `The page failed (${text}). Reload it.`,
    isRetryable: true,
  };
}
