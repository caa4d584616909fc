/** A port of 127.0.0.1 without a listener. */
export function freePort(): Promise<number>;
export function untilListening(
  port: number,
  failure: () => string | undefined,
  timeoutMs?: number,
): Promise<void>;
