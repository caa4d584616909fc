import { ConnectionLostError } from '#src/client/transport/client-errors.js';
import { ValueStore } from '../hooks/value-store.js';

/** Milliseconds between two looks at whether the server answers. */
const EVERY_MS = 1_500;
/** Milliseconds without an answer that count as a lost connection. */
const PATIENCE_MS = 5_000;
/** Statuses of a gateway whose server is away. */
const gatewayStatuses: readonly number[] = [502, 504];

/** Whether the server cannot be reached. */
export const isLost = new ValueStore(false);

let looking: Promise<void> | undefined;

/** Looks at once, after a request that did not arrive. */
export function checkConnection(): void {
  looking ??= look().finally(() => (looking = undefined));
}

/** Notes a fault, which may be that of a lost connection. */
export function noteFault(fault: unknown): void {
  if (fault instanceof ConnectionLostError) checkConnection();
}

/** Calls back each time that the server is reached again. */
export function onReconnect(callBack: () => void): () => void {
  return isLost.subscribe(() => {
    if (!isLost.get()) callBack();
  });
}

/** Looks again and again while the page is seen, and when the browser says that the network changed. */
export function watchConnection(): void {
  const lookIfSeen = (): void => {
    if (document.visibilityState === 'visible') checkConnection();
  };
  setInterval(lookIfSeen, EVERY_MS);
  document.addEventListener('visibilitychange', lookIfSeen);
  addEventListener('online', checkConnection);
  addEventListener('offline', () => isLost.set(true));
}

async function look(): Promise<void> {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const { status } = await fetch('/live', { cache: 'no-store', signal });
    isLost.set(gatewayStatuses.includes(status));
  } catch {
    // Whatever kept the request from an answer: there is no connection.
    isLost.set(true);
  }
}
