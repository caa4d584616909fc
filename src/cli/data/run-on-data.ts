import { ConnectionLostError, TurnpikeError } from '../../client/turnpike-client.js';
import { TypedError } from '../../errors/typed-error.js';
import type { StoredData } from '../../server/open-stored-data.js';
import { explainFailure, exitCodeOf } from '../render/explain-failure.js';
import { NoServerError } from '../server/locate-server.js';
import { openData } from './open-data.js';
import { explainStartFailure } from '../render/explain-start-failure.js';
import { UsageError } from '../arguments/usage-error.js';

type Environment = Record<string, string | undefined>;

/** A command on what is stored. */
export interface DataCommand {
  /** The value of `--url`. */
  url: string | undefined;
  /** Whether a missing data folder is created. Default: false. */
  mayCreate?: boolean;
  /** @returns the exit code. */
  run(data: StoredData): Promise<number>;
}

/**
 * Runs a command on what is stored, and says why it failed.
 *
 * @param parse parses the command's arguments; it may throw UsageError.
 * @returns the exit code: the command's; 1 when it failed; 2 for a wrong call.
 */
export async function runOnData(
  environment: Environment,
  parse: () => DataCommand,
): Promise<number> {
  let data: StoredData | undefined;
  try {
    const { url, mayCreate = false, run } = parse();
    data = await openData(environment, { url, mayCreate });
    return await run(data);
  } catch (error) {
    const isOpen = data !== undefined;
    process.stderr.write(`${isOpen ? explain(error) : explainOpening(error, environment)}\n`);
    return exitCodeOf(error);
  } finally {
    await data?.close();
  }
}

/** The reason why the store could not be opened, which is where a server would have it. */
function explainOpening(error: unknown, environment: Environment): string {
  const told = [TurnpikeError, ConnectionLostError, NoServerError, UsageError];
  if (told.some((type) => error instanceof type)) return explain(error);
  return explainStartFailure(error, environment);
}

function explain(error: unknown): string {
  if (error instanceof TurnpikeError && [401, 403].includes(error.status)) {
    return `${explainFailure(error)}\nThe server that runs has its store for itself: set TURNPIKE_API_KEY to a key with the scope admin, or stop the server and call this again.`;
  }
  if (error instanceof TypedError) return `${error.type}: ${error.message}`;
  return explainFailure(error);
}
