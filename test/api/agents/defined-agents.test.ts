import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import { packageRoot } from '../../../src/platform/process/package-root.js';
import { documentedBlocks } from '../../support/clients/documented-blocks.js';
import { startHost } from '../../support/processes/start-host.js';
import { startProcess } from '../../support/processes/start-process.js';
import { newFolder } from '../../support/suite.js';

const examples = path.join(packageRoot, 'examples');

function instructionsWith(agents: Readonly<Record<string, string>>): string {
  const root = newFolder();
  mkdirSync(path.join(root, 'agents'));
  for (const [name, text] of Object.entries(agents)) {
    writeFileSync(path.join(root, 'agents', name), text);
  }
  return root;
}

const environment = (instructions: string): Record<string, string> => ({
  TURNPIKE_DATA_DIR: path.join(newFolder(), 'data'),
  TURNPIKE_PROJECTS_DIR: path.join(newFolder(), 'projects'),
  TURNPIKE_TOOLS_DIR: path.join(examples, 'tools'),
  TURNPIKE_INSTRUCTION_ROOT: instructions,
});

/** What a start with these agents says of them. */
async function faultOf(agents: Readonly<Record<string, string>>): Promise<string> {
  const started = startProcess(environment(instructionsWith(agents)));
  return started.then(
    async (server) => {
      await server.kill('SIGTERM');
      return 'It started';
    },
    (error: unknown) => String(error),
  );
}

const reader = '---\ndescription: Reads.\ntools: [read]\n---\nYou read.\n';

describe('an agent in TypeScript', () => {
  it('is a file beside Markdown agents: the example, and as the manual shows it', async () => {
    const [, , block] = documentedBlocks().get('docs/guide/named-agents.md') ?? [];
    const instructions = instructionsWith({
      'reader.md': reader,
      'documented.ts': block?.code ?? '',
      '_shared.ts': 'throw new Error("no agent")',
      'order_desk.test.ts': 'throw new Error("no agent")',
    });
    const example = path.join(examples, 'agents/order_desk.ts');
    copyFileSync(example, path.join(instructions, 'agents/order_desk.ts'));
    const server = await startProcess(environment(instructions));
    const client = new TurnpikeClient({ url: server.url });
    const { agents, problems } = await client.agentFiles();
    const described = {
      description: 'Answers questions about orders.',
      tools: ['order_status'],
      limits: { max_iterations: 10 },
    };
    expect(problems).toEqual([]);
    expect(agents).toEqual([
      expect.objectContaining({ name: 'documented', file: 'agents/documented.ts', ...described }),
      expect.objectContaining({ name: 'order_desk', file: 'agents/order_desk.ts', ...described }),
      expect.objectContaining({ name: 'reader', file: 'agents/reader.md', tools: ['read'] }),
    ]);
    const { sessionId } = await client.sessions.create({ persona: 'order_desk' });
    const message = '[[tool=order_status {"id":"7"}]]';
    const { text } = await (await client.turn({ sessionId, message })).result();
    expect(text).toContain('left the warehouse at nine');
    await server.kill('SIGTERM');
  });

  it.each([
    ['export enum A { B }', 'agents/a.ts:1:8: Node runs TypeScript with types alone'],
    ['export default { prompt: "P.", tools: ["raed"] }', 'agents/a.ts: tools names'],
  ])('stops the start by its file and its fault: %j', async (text, fault) => {
    expect(await faultOf({ 'a.ts': text })).toContain(fault);
  });
});

describe('agents of an application', () => {
  const desk = { name: 'desk', prompt: 'You help.' };
  const start = async (agents: readonly object[], files: Readonly<Record<string, string>> = {}) => {
    const host = startHost('test/fixtures/hosts/agents-host.mjs', {
      DATA_DIR: newFolder(),
      INSTRUCTIONS: instructionsWith(files),
      AGENTS: JSON.stringify(agents),
    });
    const found = JSON.parse(await host.line()) as Record<string, unknown>;
    await host.end();
    return found;
  };

  it('are beside those of the instruction folder', async () => {
    expect(await start([desk], { 'reader.md': reader })).toEqual({
      agents: [
        ['desk', 'createTurnpike.agents.desk'],
        ['reader', 'agents/reader.md'],
      ],
      text: expect.stringContaining('Hello'),
    });
  });

  it('stop the start by their names and their faults', async () => {
    const fault = 'agents/desk.md:1: the agent desk has a file already';
    const found = await start([desk], { 'desk.md': reader });
    expect(found).toEqual({ fault: expect.stringContaining(fault) });
  });
});
