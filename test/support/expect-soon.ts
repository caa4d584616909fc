const PATIENCE_MS = 15_000;

/** Until it holds: what another process does shows in files and in its output, not in signals. */
export async function expectSoon(check: () => Promise<void> | void): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
