/** Milliseconds between two looks. */
const LOOK_MS = 500;

/**
 * Resolves when npm has ended, where npm started this process (`npm start`, `npx turnpike serve`); never, elsewhere. npm
 * runs programs in a shell, and a signal that ends npm and its shell does not reach the program.
 *
 * @param environment of the process.
 */
export function endOfNpm(environment: Record<string, string | undefined>): Promise<void> {
  const { ppid } = process;
  return new Promise((resolve) => {
    // The first process of a container has no other parent.
    if (environment['npm_lifecycle_event'] === undefined || ppid === 1) return;
    const look = setInterval(() => {
      if (process.ppid === ppid) return;
      clearInterval(look);
      resolve();
    }, LOOK_MS);
    look.unref();
  });
}
