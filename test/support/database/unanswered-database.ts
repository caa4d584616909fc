import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Database } from '../../../src/storage/connection.js';

/** A database as one process sees it: it can stop answering that process alone. */
export class UnansweredDatabase {
  readonly db: Database;
  isAway = false;
  readonly #running = new Set<Promise<unknown>>();

  constructor(db: Database) {
    const ask = (statement: () => Promise<unknown>): Promise<unknown> => {
      const answer = this.isAway ? Promise.reject(refused()) : statement();
      const settled = answer.then(
        () => undefined,
        () => undefined,
      );
      this.#running.add(settled);
      void settled.then(() => this.#running.delete(settled));
      return answer;
    };
    this.db = new Proxy(db, {
      get: (target, name) => {
        if (name === 'execute') {
          return (statement: Parameters<Database['execute']>[0]) =>
            ask(async () => target.execute(statement));
        }
        if (name === 'delete') {
          return (table: Parameters<Database['delete']>[0]) => ({
            where: (which: Parameters<ReturnType<Database['delete']>['where']>[0]) =>
              ask(async () => target.delete(table).where(which)),
          });
        }
        const value: unknown = Reflect.get(target, name, target);
        return value;
      },
    });
  }

  /** Resolves when all statements have answers, and those that the answers led to as well. */
  async settled(): Promise<void> {
    do {
      await Promise.all(this.#running);
      await yieldToEventLoop();
    } while (this.#running.size > 0);
  }
}

function refused(): Error {
  return Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
}
