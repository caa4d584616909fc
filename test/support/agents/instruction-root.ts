import { cp, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const shipped = fileURLToPath(new URL('../../../instructions', import.meta.url));

/**
 * A copy of the shipped instruction root with personas of the test's own: name → the lines of its
 * front matter.
 */
export async function instructionRootWith(personas: Record<string, string[]>): Promise<string> {
  const root = await mkdtemp(path.join(tmpdir(), 'turnpike-instructions-'));
  await cp(shipped, root, { recursive: true });
  for (const [name, lines] of Object.entries(personas)) {
    const file = path.join(root, 'agents', `AGENT_${name}.md`);
    await writeFile(file, ['---', ...lines, '---', `You are ${name}.`].join('\n'));
  }
  return root;
}
