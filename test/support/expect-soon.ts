/** For a machine that is busy with other things: a check that passes takes no time of it. */
const TIMEOUT_MS = 300_000;

/**
 * Checks at intervals until the check passes: other processes show effects in files and output
 * only.
 */
export async function expectSoon(check: () => Promise<void> | void): Promise<void> {
  const until = Date.now() + TIMEOUT_MS;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
