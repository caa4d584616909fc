import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { newFolder } from '../suite.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const vite = path.join(root, 'node_modules/vite/bin/vite.js');

interface ServedPage {
  url: string;
  close(): Promise<void>;
}

/**
 * Builds the example of a chat with React, and serves it before a server, on a free port.
 *
 * @param key of its backend. Default: it has none, and the page no tokens.
 */
export function startChatExample(server: string, key?: string): Promise<ServedPage> {
  return startPage('examples/ai-sdk', {
    TURNPIKE_URL: server,
    ...(key === undefined ? {} : { TURNPIKE_API_KEY: key }),
  });
}

/** Builds the page of a folder of the repository, and serves it on a free port. */
export async function startPage(
  folder: string,
  environment: Record<string, string>,
): Promise<ServedPage> {
  const config = ['--config', path.join(root, folder, 'vite.config.ts')];
  const built = ['--outDir', newFolder()];
  const run = (...words: string[]) =>
    spawn(process.execPath, [vite, ...words, ...config, ...built], {
      env: { ...process.env, NO_COLOR: '1', ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  const build = run('build', '--logLevel', 'error');
  const [code] = (await once(build, 'exit')) as [number];
  if (code !== 0) throw new Error(`The build of ${folder} ended with ${code}`);
  const preview = run('preview', '--host', '127.0.0.1', '--port', '0');
  const exited = once(preview, 'exit');
  let url: string | undefined;
  for await (const line of createInterface({ input: preview.stdout })) {
    url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (url !== undefined) break;
  }
  if (url === undefined) throw new Error(`${folder} is not served`);
  preview.stdout.resume();
  return {
    url,
    close: async () => {
      preview.kill();
      await exited;
    },
  };
}
