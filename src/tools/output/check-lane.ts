import path from 'node:path';
import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import type { CheckedInput } from '../../platform/json-schema/check-input.js';
import { packageRoot } from '../../platform/process/package-root.js';

/** A check for the thread, of a value by a schema, or of the schema alone. */
export interface CheckJob {
  /** The schema as JSON: the thread keeps what it compiled by it. */
  schema: string;
  /** Absent: the schema is compiled, no more. */
  value?: unknown;
  /** Time that the schema may take to compile, and the value to be checked, in ms each. */
  ms: number;
}

export type CheckAnswer =
  | { type: 'checked'; checked: CheckedInput }
  | { type: 'compiled' }
  | { type: 'invalid' | 'stopped'; message: string };

/** The entry is always built code: tests, which run the sources, take it from the build too. */
const entry = path.join(packageRoot, 'dist/run-checks.js');
/** Memory of the thread. A schema that needs more ends it. */
const resourceLimits = { maxOldGenerationSizeMb: 256 };
/** Time beyond that of a job after which its thread is ended: it bounds jobs itself. */
const GRACE_MS = 5_000;

/**
 * A thread that compiles schemas and checks values, one after the other, as long as each may take. It is
 * started with its first job, and again after one that ended it: such a job costs itself alone.
 */
export class CheckLane {
  readonly #oneByOne = pLimit(1);
  #thread: Worker | undefined;

  ask(job: CheckJob): Promise<CheckAnswer> {
    return this.#oneByOne(() => this.#run(job));
  }

  async close(): Promise<void> {
    await this.#thread?.terminate();
  }

  async #run(job: CheckJob): Promise<CheckAnswer> {
    const thread = (this.#thread ??= this.#start());
    return new Promise((resolve) => {
      const end = (answer: CheckAnswer): void => {
        clearTimeout(deadline);
        thread.off('message', end).off('exit', onExit);
        resolve(answer);
      };
      const onExit = (): void => end({ type: 'stopped', message: 'it needed too much memory' });
      const deadline = setTimeout(
        () => {
          end({ type: 'stopped', message: tooLong(job.ms) });
          void thread.terminate();
        },
        2 * job.ms + GRACE_MS,
      );
      thread.on('message', end).on('exit', onExit);
      thread.postMessage(job, []);
    });
  }

  #start(): Worker {
    // Without the options of this process: a profile or a limit is for its own thread.
    const thread = new Worker(entry, { env: {}, execArgv: [], resourceLimits });
    const forget = (): void => {
      if (this.#thread === thread) this.#thread = undefined;
    };
    // A thread that runs out of memory emits an error and exits: the exit handler answers its job.
    thread.on('error', forget).on('exit', forget);
    thread.unref();
    return thread;
  }
}

/** Completes `the check was stopped: …`. */
export function tooLong(ms: number): string {
  return `it took longer than ${ms} ms`;
}
