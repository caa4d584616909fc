import { parseArgs } from 'node:util';
import { ConfigError, readConfig, type Config } from '../config.js';
import { errorCode } from '../platform/error-code.js';
import type { Runtime } from '../runtime.js';
import { DataFolderBusyError } from '../storage/data-folder.js';
import { describeStart } from './describe-start.js';

type Environment = Record<string, string | undefined>;

/**
 * `turnpike serve`: runs until SIGINT or SIGTERM, then stops in order. A second signal stops at
 * once.
 *
 * @returns the exit code: 0 after an orderly stop, 1 when it could not start.
 */
export async function serveCommand(args: readonly string[], given: Environment): Promise<number> {
  const port = portArgument(args);
  const environment = port === undefined ? given : { ...given, TURNPIKE_PORT: port };
  try {
    const config = readConfig(environment);
    warnOfIgnored(environment);
    // Loaded here, so that a bad configuration is told before anything heavy is read.
    const [{ openRuntime }, { serve }] = await Promise.all([
      import('../runtime.js'),
      import('../serve.js'),
    ]);
    const readableLogs = process.stderr.isTTY;
    const runtime = await openRuntime({ config, environment, readableLogs });
    const server = await closeOnFailure(runtime, () => serve(runtime));
    console.log(describeStart(runtime, server.url));
    await stopSignal();
    await server.close();
    return 0;
  } catch (error) {
    console.error(explainStartFailure(error, environment));
    return 1;
  }
}

async function closeOnFailure<T>(runtime: Runtime, start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    await runtime.close();
    throw error;
  }
}

/** `--port N` stands for TURNPIKE_PORT; whether it is a port is checked with the rest. */
function portArgument(args: readonly string[]): string | undefined {
  const { values } = parseArgs({ args: [...args], options: { port: { type: 'string' } } });
  return values.port;
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}

function warnOfIgnored(environment: Environment): void {
  const ignored = ['REDIS_URL', 'DATABASE_URL'].filter((name) => environment[name] !== undefined);
  if (ignored.length > 0) {
    console.error(`${ignored.join(' and ')} set, and not used: this version runs embedded only.`);
  }
}

function explainStartFailure(error: unknown, environment: Environment): string {
  if (error instanceof ConfigError || error instanceof DataFolderBusyError) return error.message;
  if (errorCode(error) === 'EADDRINUSE') {
    const port = portOf(environment);
    return `Port ${port} is in use. Stop what uses it, or set TURNPIKE_PORT to another one (0 picks a free one).`;
  }
  return `Turnpike could not start: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

function portOf(environment: Environment): Config['port'] | string {
  return environment['TURNPIKE_PORT'] ?? 4400;
}
