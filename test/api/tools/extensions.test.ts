import { beforeAll, describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import { useServer } from '../../support/processes/start-server.js';
import { newFolder } from '../../support/suite.js';

const careful = fileURLToPath(new URL('../../../examples/extensions/careful.mjs', import.meta.url));

/** An extension in which everything fails when it is used. */
const failing = `export default ({ addDecisionTree, addTrigger, addTool }) => {
  addDecisionTree('throws', (config, standard) => ({
    ...bound(standard),
    shouldContinue: () => { throw new Error('a tree without branches'); },
  }));
  addDecisionTree('promises', (config, standard) => ({
    ...bound(standard),
    onToolResult: async () => { throw new Error('later'); },
  }));
  addDecisionTree('made-of-nothing', () => undefined);
  addTrigger({ id: 'throws', check: () => { throw new Error('a trigger without a finger'); } });
  addTrigger({ id: 'rejects', check: async () => { throw new Error('nobody waits'); } });
  addTrigger({ id: 'says-nothing', check: () => [{ text: '  ' }] });
  addTool({ name: 'breaks', description: 'Breaks.', inputSchema: { type: 'object' }, effect: 'read',
    run: () => { throw new Error('no such thing at /srv/secret/file.txt'); } });
  addTool({ name: 'rejects', description: 'Rejects.', inputSchema: { type: 'object' }, effect: 'read',
    run: async () => { throw new Error('later'); } });
  addTool({ name: 'numbers', description: 'Gives a number.', inputSchema: { type: 'object' }, effect: 'read',
    run: () => 42 });
};
const bound = (tree) => ({
  getConfig: () => tree.getConfig(),
  onTurnStart: (state) => tree.onTurnStart(state),
  onToolResult: (state, result) => tree.onToolResult(state, result),
  shouldContinue: (state) => tree.shouldContinue(state),
});`;

describe('extensions', () => {
  const folder = newFolder();
  const root = instructionRootWith({
    CAREFUL: ['decision_tree: careful', 'tools: [read, count_words]'],
    THROWS: ['decision_tree: throws'],
    PROMISES: ['decision_tree: promises', 'tools: [breaks]'],
    NOTHING: ['decision_tree: made-of-nothing'],
    BREAKS: ['tools: [breaks, rejects, numbers]'],
  });
  const server = useServer(async () => {
    const broken = path.join(folder, 'failing.mjs');
    await writeFile(broken, failing);
    return {
      environment: {
        TURNPIKE_EXTENSIONS: `${careful},${broken}`,
        TURNPIKE_INSTRUCTION_ROOT: root,
      },
    };
  });
  beforeAll(async () => {
    for (const name of ['1.txt', '2.txt', '3.txt']) {
      await writeFile(path.join(server.projectRoot, name), `one two ${name}`);
    }
  });

  async function run(persona: string, message: string) {
    const sessionId = await server.client.createSession(server.projectRoot, { persona });
    const stream = await server.client.turn(sessionId, message);
    const frames = await stream.all();
    const all = (event: string) => frames.filter((one) => one.event === event);
    return { all, text: stream.text(), end: all('turn:end')[0]?.data };
  }

  const logged = (what: string): string[] =>
    server.logLines.filter((line) => line.includes(what) && line.includes('failing.mjs'));

  it('are listed with the tools that they bring', async () => {
    const { body } = await server.client.get('/api/harness/tools');
    expect(body['tools']).toContainEqual(
      expect.objectContaining({ name: 'count_words', source: 'extension', effect: 'read' }),
    );
  });

  it('end a turn for a reason of their own', async () => {
    const message = '[[loop=9 tool=read {"file_path":"$i.txt"}]]';
    const { end, text, all } = await run('CAREFUL', message);
    expect(end).toMatchObject({ outcome: 'limited', exitCode: 0, reason: 'enough_read' });
    expect(all('tool:result')).toHaveLength(3);
    expect(text).toContain('[Stopped: 3 files were read, which is as many');
    expect(all('system:notice').map(({ data }) => data)).toContainEqual(
      expect.objectContaining({ kind: 'limit-reached', metadata: { reason: 'enough_read' } }),
    );
  });

  it('leave every other end to the standard tree', async () => {
    const { end } = await run('CAREFUL', 'Hello');
    expect(end).toMatchObject({ outcome: 'completed', reason: 'end_turn' });
  });

  it('say what their triggers say, once, to the client and to the model', async () => {
    const before = server.modelRequests.length;
    const { all } = await run('CAREFUL', '[[loop=2 tool=read {"file_path":"$i.txt"}]]');
    const notices = all('system:notice').filter(({ data }) => data['kind'] === 'show-your-work');
    expect(notices.map(({ data }) => data)).toEqual([
      expect.objectContaining({ level: 'step', metadata: { step: 1 } }),
    ]);
    const sent = server.modelRequests
      .slice(before)
      .map(({ body }) => JSON.stringify(body.messages));
    expect(sent.map((one) => one.includes('Say in a sentence'))).toEqual([false, true, true]);
  });

  it('run their tools, under the checks of ours', async () => {
    const call = (input: object) => `[[tool=count_words ${JSON.stringify(input)}]]`;
    const message = call({ text: 'a b c' }) + call({ text: '' }) + call({ words: 1 });
    const { all } = await run('CAREFUL', message);
    expect(all('tool:result').map(({ data }) => [data['ok'], data['output']])).toEqual([
      [true, '3 words'],
      [false, 'count_words: the text has no words'],
      [false, expect.stringContaining('text is required')],
    ]);
  });

  it.each([
    ['THROWS', 'throws', 'shouldContinue'],
    ['PROMISES', 'promises', 'onToolResult'],
    ['NOTHING', 'made-of-nothing', 'getConfig'],
  ])('whose tree fails (%s) end the turn with a typed error', async (persona, tree, operation) => {
    const { all, end } = await run(persona, '[[tool=breaks]]');
    expect(all('turn:error').map(({ data }) => data)).toEqual([
      expect.objectContaining({
        errorType: 'EXTENSION_FAILURE',
        status: 500,
        details: {
          extension: path.join(folder, 'failing.mjs'),
          part: `decision tree "${tree}"`,
          operation,
        },
      }),
    ]);
    expect(end).toMatchObject({ outcome: 'failed', reason: 'EXTENSION_FAILURE', exitCode: 1 });
    expect(
      logged("an extension's decision tree failed; the turn ends with an error").some((line) =>
        line.includes(`"${tree}"`),
      ),
    ).toBe(true);
  });

  it('whose tools fail give the model an error, without a path of the host', async () => {
    const before = logged(
      "an extension's tool failed; the model gets an error as its result",
    ).length;
    const two = await run('BREAKS', '[[tool=breaks]] [[tool=rejects]]');
    const one = await run('BREAKS', '[[tool=numbers]]');
    const results = [...two.all('tool:result'), ...one.all('tool:result')];
    expect(results.map(({ data }) => [data['status'], data['output']])).toEqual([
      ['error', 'breaks failed: no such thing at <path>'],
      ['error', 'rejects failed: later'],
      ['error', 'numbers failed: it gave neither text nor a list of texts and files'],
    ]);
    for (const { end } of [two, one]) expect(end).toMatchObject({ outcome: 'completed' });
    expect(
      logged("an extension's tool failed; the model gets an error as its result"),
    ).toHaveLength(before + 3);
  });

  it('whose triggers fail cost no turn', async () => {
    const { end, all } = await run('BREAKS', 'Hello');
    expect(end).toMatchObject({ outcome: 'completed' });
    expect(all('system:notice').map(({ data }) => data['kind'])).not.toContain('says-nothing');
    const failed = server.logLines.filter((line) =>
      line.includes('a notice trigger failed; the turn goes on without its notice'),
    );
    for (const id of ['throws', 'rejects', 'says-nothing']) {
      expect(failed.some((line) => line.includes(`"trigger":"${id}"`))).toBe(true);
    }
  });
});
