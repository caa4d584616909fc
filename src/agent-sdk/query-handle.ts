import { checkMode } from './check-options.js';
import { interruptTurn } from './interrupt-turn.js';
import { refusedMethods as advices, type Query, type RefusedMethods } from './sdk-query.js';
import { closed, type QueryState } from './query-state.js';
import { AbortError, UnsupportedError } from './sdk-errors.js';
import type { SDKMessage } from './sdk-messages.js';

/** The handle of a query over its messages. */
export function handleOf(
  state: QueryState,
  messages: AsyncGenerator<SDKMessage, void, undefined>,
): Query {
  const { leaving, options } = state;
  const { signal } = options.abortController ?? {};
  const abort = (): void => leaving.abort(new AbortError('The query was aborted'));
  if (signal?.aborted === true) abort();
  signal?.addEventListener('abort', abort);
  const release = (): void => {
    signal?.removeEventListener('abort', abort);
    // The stream of a turn that goes on waiting at the server would keep the program alive.
    leaving.abort(closed);
  };
  const settled = async <T>(work: Promise<IteratorResult<T, void>>) => {
    try {
      const next = await work;
      if (next.done === true) release();
      return next;
    } catch (error) {
      release();
      throw error;
    }
  };
  const query: Query = {
    ...refusedMethods(),
    next: () => settled(messages.next()),
    return: (value) => {
      // A reader that waits for a message is in the middle of it: the turn is left there.
      leaving.abort(closed);
      return settled(messages.return(value));
    },
    throw: (error) => settled(messages.throw(error)),
    interrupt: () => interruptTurn(state),
    close: () => leaving.abort(closed),
    setModel: async (model) => {
      await Promise.resolve();
      state.model = model;
    },
    setPermissionMode: async (mode) => {
      await Promise.resolve();
      checkMode(mode, 'setPermissionMode');
      state.mode = mode;
    },
    [Symbol.asyncIterator]: () => query,
    [Symbol.asyncDispose]: async () => {
      await query.return();
    },
  };
  return query;
}

function refusedMethods(): RefusedMethods {
  const refuse = (name: string, advice: string) => async (): Promise<never> => {
    await Promise.resolve();
    throw new UnsupportedError(`${name}()`, advice);
  };
  const entries = Object.entries(advices).map(([name, advice]) => [name, refuse(name, advice)]);
  // Each name of the table has its method.
  return Object.fromEntries(entries) as RefusedMethods;
}
