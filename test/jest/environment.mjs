/** Tests run in Node as it is: no sandbox around them, and no globals of their own. */
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/** The process's own: a copy in its place would not be what Node itself reads, as for `homedir()`. */
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
