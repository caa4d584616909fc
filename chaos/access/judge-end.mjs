/** Milliseconds after the end of a token in which its stream goes on at least: less than the server's minute. */
const GRACE_MS = 55_000;

/** Milliseconds in which a stream ends after the access of its reader was ended. */
const ENDED_MS = 60_000;

/**
 * Judges the end of a stream that says that its token ended: the token's time was over, or the access of its person
 * was ended.
 *
 * @param {import('../types.js').Person} person
 * @param {{ reason: unknown, turnId: string, tokenEndsAt: number }} end
 * @returns {import('../types.js').Violation | undefined}
 */
export function judgeEnd({ principal, endedAt }, { reason, turnId, tokenEndsAt }) {
  const now = Date.now();
  if (reason === 'expired' && now > tokenEndsAt + GRACE_MS) return undefined;
  if (reason === 'ended' && endedAt !== undefined && now < endedAt + ENDED_MS) return undefined;
  const note = `a stream of ${principal} ended: ${String(reason)}, ${now - tokenEndsAt} ms after its token`;
  return { kind: 'access-ended', turnId, note };
}
