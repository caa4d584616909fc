import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { textOf } from './text-of-log.js';
import { serverProgram } from './built-programs.js';
import { Client } from '../clients/client.js';
import { sandboxEnvironment } from './test-shells.js';

export interface ServerProcess {
  client: Client;
  url: string;
  child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Sends the signal and waits for the exit; the exit code, or null when a signal ended it. */
  kill(signal: NodeJS.Signals): Promise<number | null>;
}

/**
 * The built server as its own process, on a free port. Rejects when it exits before it serves.
 *
 * @param server another build's program and its first arguments.
 */
export async function startProcess(
  environment: Record<string, string>,
  server = serverProgram,
): Promise<ServerProcess> {
  const { PATH = '', HOME = '' } = process.env;
  const [program, ...first] = server;
  const child = spawn(program, first, {
    env: { PATH, HOME, TURNPIKE_PORT: '0', ...sandboxEnvironment, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      const served = /serves (http:[^\s"]+)/.exec(stdout)?.[1];
      if (served !== undefined) resolve(served);
    });
    exited.then(([code]) => reject(new Error(`It exited with ${code}: ${textOf(stderr)}`)), reject);
  });
  return {
    client: new Client(url),
    url,
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    kill: async (signal) => {
      child.kill(signal);
      const [code] = await exited;
      return code;
    },
  };
}
