import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Serves the example of a page as its README does, on a free port. */
export async function startExamplePage(): Promise<{ url: string; close(): Promise<void> }> {
  const file = fileURLToPath(new URL('../../../examples/browser/serve.mjs', import.meta.url));
  const child = spawn(process.execPath, [file, '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const [line] = (await once(lines, 'line')) as [string];
  return {
    url: /http:\S+/.exec(line)?.[0].replace(/\/$/, '') ?? '',
    close: async () => {
      child.kill();
      await exited;
    },
  };
}
