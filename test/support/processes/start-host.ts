import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import path from 'node:path';
import { packageRoot } from '../../../src/platform/process/package-root.js';
import { newFolder } from '../suite.js';
import { nodeOptions } from './built-programs.js';
import { textOf } from './text-of-log.js';

/** Where the hosts of a suite work: a host that is started again finds its folder. */
const folder = newFolder();

export interface Host {
  /** Its lines so far. */
  lines: readonly string[];
  stderr(): string;
  /** Resolves with its next line. Rejects when it exits without one. */
  line(): Promise<string>;
  /** Sends the signal, if there is one, and waits for the exit; the exit code, or null when a signal ended it. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/**
 * Starts an application with a Turnpike inside of it, in a folder of the suite's own.
 *
 * @param file from the root of the repository. @param environment all that it has beside the PATH.
 */
export function startHost(file: string, environment: Record<string, string>): Host {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [...nodeOptions, path.join(packageRoot, file)], {
    cwd: folder,
    env: { PATH, PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const lines: string[] = [];
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const coming = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    lines,
    stderr: () => stderr,
    line: async () => {
      const { done, value } = await coming.next();
      if (done === true) throw new Error(`It ended without a line: ${textOf(stderr)}`);
      lines.push(value);
      return value;
    },
    end: async (signal) => {
      if (signal !== undefined) child.kill(signal);
      const [code] = await exited;
      return code;
    },
  };
}
