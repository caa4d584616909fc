import { TypedError } from '../errors/typed-error.js';
import { errorCode } from '../platform/error-code.js';
import { driverError } from '../storage/database-errors.js';
import { settlesWithin } from '../platform/async/deadlines.js';

/** A service that the server cannot work without. */
export interface Dependency {
  name: string;
  /** Its name for people. */
  label: string;
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
    dependencies.map(async ({ name, label, ping }): Promise<[string, string]> => {
      try {
        const isAnswered = await settlesWithin(timeoutMs, ping());
        return [name, isAnswered ? 'ok' : `${label} did not answer in ${timeoutMs} ms`];
      } catch (error) {
        return [name, describeFault(label, error)];
      }
    }),
  );
  return {
    ready: answers.every(([, answer]) => answer === 'ok'),
    checks: Object.fromEntries(answers),
  };
}

/** The fault of a service without its statement and its address, which probes of anybody would read. */
function describeFault(label: string, error: unknown): string {
  if (error instanceof TypedError) return error.message;
  const code = errorCode(driverError(error));
  return `${label} does not answer${code === undefined ? '' : ` (${code})`}`;
}
