import { cp, mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { packageRoot } from '../src/platform/package-root.js';

/** Folders of a deployment. The same for all runs: paths are part of prompts. */
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
  const root = path.join(tmpdir(), `turnpike-simulated-${process.getuid?.() ?? 0}`);
  const folders = {
    projectRoot: path.join(root, 'project'),
    instructionRoot: path.join(root, 'instructions'),
  };
  await mkdir(folders.projectRoot, { recursive: true });
  // Several runs may make the folders at once: each file is the same in all of them.
  await cp(path.join(packageRoot, 'instructions'), folders.instructionRoot, { recursive: true });
  for (const [name, head] of Object.entries(agents)) {
    const text = ['---', ...head, '---', `You are ${name}.`].join('\n');
    await writeFile(path.join(folders.instructionRoot, 'agents', `AGENT_${name}.md`), text);
  }
  return folders;
}
