import { useCallback, useEffect, useRef, useState } from 'react';
import { ConnectionLostError } from '#src/client/transport/client-errors.js';
import { apiKey } from '../api/api-key.js';
import { reportFault } from '../api/client.js';
import { isLost, onReconnect } from '../api/connection.js';
import { useValue } from '../hooks/value-store.js';

export interface Resource<T> {
  /** The last loaded value, also during the next request. */
  value: T | undefined;
  fault: unknown;
  reload: () => void;
}

/**
 * Loads a value of the server's: at once, when the tab becomes visible or the server is back, and every `everyMs`
 * while the tab is visible.
 *
 * @param load stable (`useCallback`): a different function is a different resource.
 */
export function useResource<T>(load: () => Promise<T>, everyMs?: number): Resource<T> {
  const [state, setState] = useState<{ value: T | undefined; fault: unknown; of: unknown }>();
  const [round, setRound] = useState(0);
  const key = useValue(apiKey);
  const latest = useRef(0);
  useEffect(() => {
    let isGone = false;
    const ask = async (): Promise<void> => {
      latest.current += 1;
      const asked = latest.current;
      const isLate = (): boolean => isGone || asked !== latest.current;
      try {
        const value = await load();
        if (!isLate()) setState({ value, fault: undefined, of: load });
      } catch (fault) {
        // A late fault may be that of a key that was replaced meanwhile.
        if (isLate()) return;
        reportFault(fault);
        setState((before) => {
          const value = before?.of === load ? before.value : undefined;
          // What is shown stays: the page says by itself that the connection is lost.
          const isShown = value !== undefined && fault instanceof ConnectionLostError;
          return { value, fault: isShown ? undefined : fault, of: load };
        });
      }
    };
    const askIfSeen = (): void => {
      if (document.visibilityState === 'visible' && !isLost.get()) void ask();
    };
    void ask();
    const stopWaiting = onReconnect(askIfSeen);
    const timer = everyMs === undefined ? undefined : setInterval(askIfSeen, everyMs);
    document.addEventListener('visibilitychange', askIfSeen);
    return () => {
      isGone = true;
      stopWaiting();
      clearInterval(timer);
      document.removeEventListener('visibilitychange', askIfSeen);
    };
  }, [load, everyMs, round, key]);
  const reload = useCallback(() => setRound((one) => one + 1), []);
  const own = state?.of === load ? state : undefined;
  return { value: own?.value, fault: own?.fault, reload };
}
