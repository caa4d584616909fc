import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { packageRoot } from '../src/platform/process/package-root.js';

/** Folders of a deployment, by their content, the same for all runs: paths are part of prompts. */
export interface Folders {
  /** The folder of all sessions. */
  projectRoot: string;
  instructionRoot: string;
}

const tools = ['tools: [mark, look]', 'permissions: {allow: [mark]}'];

/** An agent that delegates, and one that it delegates to. */
const agents = {
  LEAD: ['subagents: [TASKER]', 'AGENT_TYPE: 1', ...tools],
  TASKER: ['AGENT_TYPE: 2', 'AGENT_CLASS: TASK', ...tools],
};

export async function makeFolders(): Promise<Folders> {
  const made = await mkdtemp(path.join(tmpdir(), 'turnpike-simulated-'));
  await mkdir(path.join(made, 'project'));
  await cp(path.join(packageRoot, 'instructions'), path.join(made, 'instructions'), {
    recursive: true,
  });
  for (const [name, head] of Object.entries(agents)) {
    const text = ['---', ...head, '---', `You are ${name}.`].join('\n');
    await writeFile(path.join(made, 'instructions/agents', `AGENT_${name}.md`), text);
  }
  const root = path.join(tmpdir(), `turnpike-simulated-${await hashOf(made)}`);
  // Another run may have made the same folders, and use them now.
  await rename(made, root).catch(() => rm(made, { recursive: true }));
  return {
    projectRoot: path.join(root, 'project'),
    instructionRoot: path.join(root, 'instructions'),
  };
}

async function hashOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = files.map(async ({ parentPath, name }) => {
    const file = path.join(parentPath, name);
    return `${path.relative(folder, file)}\n${await readFile(file, 'utf8')}`;
  });
  const all = (await Promise.all(texts)).sort().join('\n');
  return createHash('sha256').update(all).digest('hex').slice(0, 12);
}
