import { useState } from 'react';
import { reportFault } from '../api/client.js';

export interface Act {
  isBusy: boolean;
  /** The error of the last try; undefined after a success. */
  fault: unknown;
  run(work: () => Promise<unknown>): void;
  dismiss(): void;
}

/** Runs a request of a button: one at a time, and its fault is kept to be shown. */
export function useAct(): Act {
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<unknown>();
  const act = async (work: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    try {
      await work();
      setFault(undefined);
    } catch (thrown) {
      setFault(reportFault(thrown));
    } finally {
      setBusy(false);
    }
  };
  return {
    isBusy,
    fault,
    run: (work) => {
      if (!isBusy) void act(work);
    },
    dismiss: () => setFault(undefined),
  };
}
