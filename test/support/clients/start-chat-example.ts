import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { newFolder } from '../suite.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const vite = path.join(root, 'node_modules/vite/bin/vite.js');
const config = ['--config', path.join(root, 'examples/ai-sdk/vite.config.ts')];

/**
 * Builds the example of a chat with React, and serves it before a server, on a free port.
 *
 * @param key of its backend. Default: it has none, and the page no tokens.
 */
export async function startChatExample(
  server: string,
  key?: string,
): Promise<{ url: string; close(): Promise<void> }> {
  const folder = ['--outDir', newFolder()];
  const environment = {
    ...process.env,
    TURNPIKE_URL: server,
    NO_COLOR: '1',
    ...(key === undefined ? {} : { TURNPIKE_API_KEY: key }),
  };
  const run = (...words: string[]) =>
    spawn(process.execPath, [vite, ...words, ...config, ...folder], {
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  const build = run('build', '--logLevel', 'error');
  const [code] = (await once(build, 'exit')) as [number];
  if (code !== 0) throw new Error(`The build of the example ended with ${code}`);
  const preview = run('preview', '--host', '127.0.0.1', '--port', '0');
  const exited = once(preview, 'exit');
  let url: string | undefined;
  for await (const line of createInterface({ input: preview.stdout })) {
    url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (url !== undefined) break;
  }
  if (url === undefined) throw new Error('The example is not served');
  preview.stdout.resume();
  return {
    url,
    close: async () => {
      preview.kill();
      await exited;
    },
  };
}
