/**
 * `npm run test:nodes`, for a release: builds and runs `test:quick` on the oldest Node, on the one it is developed
 * on, and on the newest, each from the npm registry.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchNode } from './bring-node.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');

for (const major of [22, 24, 26]) {
  const node = await fetchNode(root, major);
  for (const script of ['build.mjs', 'test-quick.mjs']) {
    console.error(`Node ${major}: ${script}`);
    const child = spawn(node, [path.join(root, 'scripts', script)], {
      cwd: root,
      stdio: 'inherit',
    });
    const [code] = await once(child, 'exit');
    if (code !== 0) {
      console.error(`Node ${major}: ${script} failed (see above).`);
      process.exit(1);
    }
  }
}
