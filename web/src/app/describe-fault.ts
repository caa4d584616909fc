import { ConnectionLostError, TurnpikeError } from '../../../src/client/client-errors.js';

export interface DescribedFault {
  /** What happened and what to do, for a person. */
  text: string;
  /** For programs and bug reports. */
  code?: string;
  /** The same may work later. */
  isRetryable: boolean;
}

/** Pure. */
export function describeFault(fault: unknown): DescribedFault {
  if (fault instanceof TurnpikeError) {
    const { message, code, retryable } = fault;
    return { text: message, code, isRetryable: retryable };
  }
  if (fault instanceof ConnectionLostError) {
    return {
      text: 'The server does not answer. Check that it runs, then try again: nothing that it has accepted is lost.',
      isRetryable: true,
    };
  }
  const text = fault instanceof Error ? fault.message : String(fault);
  return {
    text: `The page met something it did not expect (${text}). Reload it.`,
    isRetryable: true,
  };
}
