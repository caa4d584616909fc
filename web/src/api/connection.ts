import { ConnectionLostError } from '#src/client/transport/client-errors.js';
import { ValueStore } from '../hooks/value-store.js';

/** Milliseconds between two checks of the connection. */
const CHECK_MS = 1_500;
/** Milliseconds without a response after which the connection counts as lost. */
const TIMEOUT_MS = 5_000;
/** Statuses of a gateway that cannot reach its server. */
const gatewayStatuses: readonly number[] = [502, 504];

/** Whether the server cannot be reached. */
export const isLost = new ValueStore(false);

let checking: Promise<void> | undefined;

/** Checks the connection now, after a request that got no response. */
export function checkConnection(): void {
  checking ??= check().finally(() => (checking = undefined));
}

/** Checks the connection if a fault may come from its loss. */
export function noteFault(fault: unknown): void {
  if (fault instanceof ConnectionLostError) checkConnection();
}

/** Calls back each time that the server is reached again. */
export function onReconnect(callBack: () => void): () => void {
  return isLost.subscribe(() => {
    if (!isLost.get()) callBack();
  });
}

/** Checks the connection while the page is visible, and when the browser reports a change of the network. */
export function pollConnection(): void {
  const checkIfVisible = (): void => {
    if (document.visibilityState === 'visible') checkConnection();
  };
  setInterval(checkIfVisible, CHECK_MS);
  document.addEventListener('visibilitychange', checkIfVisible);
  addEventListener('online', checkConnection);
  addEventListener('offline', () => isLost.set(true));
}

async function check(): Promise<void> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const { status } = await fetch('/live', { cache: 'no-store', signal });
    isLost.set(gatewayStatuses.includes(status));
  } catch {
    // Whatever the reason, there was no response.
    isLost.set(true);
  }
}
