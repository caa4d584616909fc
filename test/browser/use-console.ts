import { afterAll, beforeAll } from '@jest/globals';
import {
  startServer,
  type TestServer,
  type TestServerOptions,
} from '../support/processes/start-server.js';
import { openConsole, type Console } from './open-console.js';

export interface OpenedConsole {
  /** Set from the suite's `beforeAll` on. */
  readonly server: TestServer;
  /** Set from the suite's `beforeAll` on. */
  readonly console: Console;
}

/** A server with a browser at its console, for as long as a suite runs. Call it before other hooks. */
export function useConsole(
  findOptions: () => Promise<TestServerOptions> = () => Promise.resolve({}),
): OpenedConsole {
  let opened: OpenedConsole | undefined;
  beforeAll(async () => {
    const server = await startServer(await findOptions());
    opened = { server, console: await openConsole(server.url) };
  });
  afterAll(async () => {
    await opened?.console.close();
    await opened?.server.close();
  });
  const started = (): OpenedConsole => {
    if (opened === undefined) throw new Error('The console is opened in beforeAll');
    return opened;
  };
  return {
    get server() {
      return started().server;
    },
    get console() {
      return started().console;
    },
  };
}
