import { settlesWithin } from '../platform/async/settles-within.js';

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
      try {
        const isAnswered = await settlesWithin(timeoutMs, ping());
        return [name, isAnswered ? 'ok' : `no answer in ${timeoutMs} ms`];
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
