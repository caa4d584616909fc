/**
 * Jest's `testRunner`: its own circus over modules that Node itself loads. Jest's module loader gives
 * every test file a copy of all it imports, which cost more than what the files test; here the files of
 * a worker share their modules, and so hold no state in them. There are no module mocks.
 */
import { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';
import v8 from 'node:v8';
import circus from 'jest-circus/runner';
import { useGlobals } from './globals.mjs';

// The database engine is compiled once for speed of its start, and not again for speed.
v8.setFlagsFromString('--liftoff-only');
register(new URL('./typescript-hooks.mjs', import.meta.url));
process.setSourceMapsEnabled(true);

const requireFromCircus = createRequire(
  createRequire(import.meta.url).resolve('jest-circus/runner'),
);
/** Circus keeps its listeners here, beyond the copy of it that a file has. */
const listeners = Symbol.for('EVENT_HANDLERS');

/** Takes and returns what jest's own runner does; the functions that load modules are replaced. */
export default function runFile(globalConfig, config, environment, runtime, testPath, send) {
  // Jest's own mapping of stacks, set before each file, knows only what jest has compiled.
  Error.prepareStackTrace = undefined;
  delete globalThis[listeners];
  Object.assign(runtime, {
    requireInternalModule: (file) => {
      delete requireFromCircus.cache[file];
      return requireFromCircus(file);
    },
    setGlobalsForRuntime: (globals) =>
      useGlobals({ ...globals, jest: timersOf(environment.fakeTimersModern) }),
    unstable_shouldLoadAsEsm: () => true,
    // A suite of two projects is loaded once for each.
    unstable_importModule: (file) =>
      import(`${pathToFileURL(file).href}?${config.displayName?.name ?? ''}`),
  });
  const run = circus.default ?? circus;
  return run(globalConfig, config, environment, runtime, testPath, send);
}

/** What the tests use of `jest`. */
function timersOf(timers) {
  return {
    advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
    useFakeTimers: (options) => timers.useFakeTimers(options),
    useRealTimers: () => timers.useRealTimers(),
  };
}
