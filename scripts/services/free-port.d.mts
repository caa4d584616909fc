/** A port of 127.0.0.1 without a listener. */
export function freePort(): Promise<number>;
