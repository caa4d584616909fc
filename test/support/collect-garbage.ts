import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
export const collectGarbage = runInNewContext('gc') as (options?: {
  /** Young objects alone, in milliseconds. Default: all. */
  type: 'minor';
}) => void;

/** Collections after which nothing is left: a first one finds what the last call still held. */
const COLLECTIONS = 3;

/** Collects garbage, until registries have been told of all of it. */
export async function collectAndFinalize(): Promise<void> {
  const collected = new Set<number>();
  const registry = new FinalizationRegistry<number>((collection) => collected.add(collection));
  for (let collection = 1; collection <= COLLECTIONS; collection += 1) {
    registry.register({}, collection);
    while (!collected.has(collection)) {
      await yieldToEventLoop();
      collectGarbage();
    }
  }
}
