/**
 * Jest's `testRunner`: its own circus over modules that Node itself loads. Jest's module loader gives
 * every test file a copy of all it imports, which cost more than what the files test; here the files of
 * a worker share their modules. No state of a test is in them; what the files share beyond their code is
 * closed after the last. There are no module mocks.
 */
import { channel } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import v8 from 'node:v8';
import vm from 'node:vm';
import circus from 'jest-circus/runner';
import { useGlobals } from './globals.mjs';
import './typescript-hooks.mjs';

// The database engine is compiled once for speed of its start, and not again for speed.
v8.setFlagsFromString('--liftoff-only');
process.setSourceMapsEnabled(true);

const requireFromCircus = createRequire(
  createRequire(import.meta.url).resolve('jest-circus/runner'),
);
/** Compiled modules of circus, by file. */
const compiled = new Map();

/** Milliseconds without a file after which a worker has run its last. */
const LAST_FILE_MS = 150;
/** Emits when the files of a worker have to close what they share. */
const noMoreTests = channel('turnpike:no-more-tests');
let waiting;

/** Takes and returns what jest's own runner does; the functions that load modules are replaced. */
export default async function runFile(globalConfig, config, environment, runtime, testPath, send) {
  clearTimeout(waiting);
  // Jest's own mapping of stacks, set before each file, knows only what jest has compiled.
  Error.prepareStackTrace = undefined;
  Object.assign(runtime, {
    requireInternalModule: runAnew,
    setGlobalsForRuntime: (globals) =>
      useGlobals({ ...globals, jest: timersOf(environment.fakeTimersModern) }),
    unstable_shouldLoadAsEsm: () => true,
    // A suite of two projects is loaded once for each.
    unstable_importModule: (file) =>
      import(`${pathToFileURL(file).href}?${config.displayName?.name ?? ''}`),
  });
  const run = circus.default ?? circus;
  const before = { ...process.env };
  try {
    return await run(globalConfig, config, environment, runtime, testPath, send);
  } finally {
    forgetState();
    restoreEnvironment(before);
    waiting = setTimeout(() => noMoreTests.publish(), LAST_FILE_MS);
  }
}

/** A module of circus with a state of its own, as every test file has one. */
function runAnew(file) {
  let script = compiled.get(file);
  if (script === undefined) {
    const source = Module.wrap(readFileSync(file, 'utf8'));
    compiled.set(file, (script = new vm.Script(source, { filename: file })));
  }
  const module = { exports: {} };
  script.runInThisContext()(module.exports, requireFromCircus, module, file, path.dirname(file));
  return module.exports;
}

/** What a file sets in the environment is of no other file's. */
function restoreEnvironment(before) {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  for (const [name, value] of Object.entries(before)) {
    if (process.env[name] !== value) process.env[name] = value;
  }
}

/** Circus leaves the tests of a file, with all that these hold, and its listeners on the global object. */
function forgetState() {
  for (const key of Object.getOwnPropertySymbols(globalThis)) {
    if (['JEST_STATE_SYMBOL', 'EVENT_HANDLERS'].includes(key.description)) delete globalThis[key];
  }
}

/** The part of `jest` that the tests use. */
function timersOf(timers) {
  return {
    advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
    useFakeTimers: (options) => timers.useFakeTimers(options),
    useRealTimers: () => timers.useRealTimers(),
  };
}
