import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../scripts/services/free-port.mjs';
import { newFolder, useShared } from '../suite.js';

const example = fileURLToPath(new URL('../../../examples/log-in/', import.meta.url));

/** The addresses of the example of a page behind a log-in, chosen before the server starts. */
export function useLogInExample() {
  const urls = useShared(async () => {
    const [provider, page] = [await freePort(), await freePort()];
    const made = { provider: `http://localhost:${provider}`, page: `http://localhost:${page}` };
    return { ...made, close: async () => {} };
  });
  /** A server's variables for the example: its file of issuers, and the origin of its page. */
  const environment = async () => {
    const file = path.join(newFolder(), 'auth.yaml');
    const shown = await readFile(`${example}auth.yaml`, 'utf8');
    await writeFile(file, shown.replace('http://localhost:4410', urls.provider));
    return { TURNPIKE_AUTH_FILE: file, TURNPIKE_CORS_ORIGINS: urls.page };
  };
  /** Starts its provider and its page at a server. @param key of its backend; absent: the page has no page tokens. */
  const start = async (server: string, key?: string) => {
    const child = spawn(process.execPath, [`${example}start.mjs`], {
      env: {
        ...process.env,
        NO_COLOR: '1',
        PROVIDER_URL: urls.provider,
        PAGE_URL: urls.page,
        TURNPIKE_URL: server,
        ...(key === undefined ? {} : { TURNPIKE_API_KEY: key }),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    const lines = createInterface({ input: child.stdout });
    const seen = new Set<string>();
    for await (const line of lines) {
      for (const url of [urls.provider, urls.page]) if (line.includes(url)) seen.add(url);
      if (seen.size === 2) break;
    }
    if (seen.size < 2) throw new Error('The example did not start');
    child.stdout.resume();
    return {
      ...urls,
      close: async () => {
        child.kill();
        await exited;
      },
    };
  };
  return { urls, environment, start };
}
