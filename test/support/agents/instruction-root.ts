import { cpSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { newFolder } from '../suite.js';

const shipped = fileURLToPath(new URL('../../../instructions', import.meta.url));

/**
 * A copy of the shipped instruction root with personas of the test's own: name → the lines of its
 * front matter.
 */
export function instructionRootWith(personas: Record<string, string[]>): string {
  const root = newFolder();
  cpSync(shipped, root, { recursive: true });
  for (const [name, lines] of Object.entries(personas)) {
    const file = path.join(root, 'agents', `AGENT_${name}.md`);
    writeFileSync(file, ['---', ...lines, '---', `You are ${name}.`].join('\n'));
  }
  return root;
}
