/** Jest's test environment without a sandbox: tests run in plain Node, with its globals. */
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/**
 * The environment of the process itself: Node would not read a copy, for example in `homedir()`.
 */
const { env } = process;

export default class NativeEnvironment {
  global = {};
  moduleMocker = new ModuleMocker(globalThis);
  #globals;

  constructor({ projectConfig }) {
    this.#globals = projectConfig.globals;
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {
    Object.assign(globalThis, this.#globals);
  }

  async teardown() {
    for (const name of Object.keys(this.#globals)) delete globalThis[name];
    process.env = env;
  }

  getVmContext() {
    return null;
  }
}
