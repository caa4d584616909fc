/** Digits of a stamp, enough for thirty years of uptime; all deltas have the same length. */
export const stampDigits = 15;

/**
 * Microseconds of the clock that all processes of a machine share (CLOCK_MONOTONIC), so that processes can
 * compare stamps.
 *
 * @returns {number}
 */
export function nowMicros() {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000_000 + Math.round(nanoseconds / 1_000);
}

/** @param {number} micros @returns {string} */
export function toStamp(micros) {
  return String(micros).padStart(stampDigits, '0');
}
