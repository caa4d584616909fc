import { afterAll, beforeAll } from '@jest/globals';
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** What suites share now, in the order in which it was made; empty where that failed. */
const shared: unknown[] = [];

/**
 * Makes something before the tests of a suite and closes it after them, if it can be closed; what was made last is
 * closed first. Its members are there within tests and hooks.
 */
export function useShared<T extends object>(make: () => T | Promise<T>): T {
  let made: T | undefined;
  beforeAll(async () => {
    const index = shared.push(undefined) - 1;
    shared[index] = made = await make();
  });
  afterAll(async () => {
    const last = shared.pop();
    if (isOpen(last)) await last.close();
  });
  return new Proxy({} as T, {
    get: (_target, name) => {
      if (made === undefined) throw new Error(`'${String(name)}' is there within tests and hooks.`);
      const value: unknown = Reflect.get(made, name, made);
      return typeof value === 'function' ? value.bind(made) : value;
    },
    set: (_target, name, value) => made !== undefined && Reflect.set(made, name, value),
    ownKeys: () => Reflect.ownKeys(made ?? {}),
    getOwnPropertyDescriptor: (_target, name) => {
      const found = Reflect.getOwnPropertyDescriptor(made ?? {}, name);
      return found && { ...found, configurable: true };
    },
  });
}

function isOpen(value: unknown): value is { close(): unknown } {
  return typeof value === 'object' && value !== null && 'close' in value;
}

/** A new folder of the test's own, by its real path. It is gone with the run. */
export function newFolder(): string {
  return mkdtempSync(path.join(realpathSync(tmpdir()), 'turnpike-test-'));
}
