/** A service that the server cannot work without. */
export interface Dependency {
  name: string;
  /** Rejects when it does not answer. */
  ping(): Promise<void>;
}

export interface Readiness {
  ready: boolean;
  /** Results by name: `ok`, or the fault. */
  checks: Record<string, string>;
}

/** Pings every dependency, each for at most `timeoutMs` milliseconds. */
export async function checkReadiness(
  dependencies: readonly Dependency[],
  timeoutMs = 2_000,
): Promise<Readiness> {
  const answers = await Promise.all(
    dependencies.map(async ({ name, ping }): Promise<[string, string]> => {
      const silence = AbortSignal.timeout(timeoutMs);
      const late = new Promise<never>((_resolve, reject) => {
        silence.addEventListener('abort', () => reject(new Error(`no answer in ${timeoutMs} ms`)));
      });
      try {
        await Promise.race([ping(), late]);
        return [name, 'ok'];
      } catch (error) {
        return [name, error instanceof Error ? error.message : 'failed'];
      }
    }),
  );
  return {
    ready: answers.every(([, answer]) => answer === 'ok'),
    checks: Object.fromEntries(answers),
  };
}
