import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { outputText } from '../../src/platform/parsing/tool-output.js';
import type { CallAnswer, CallQuestion } from '../../src/tools/tool.js';
import type { Mcp } from '../../src/tools/mcp/mcp.js';
import { callMcp, openTestMcp, turnOf } from '../support/mcp/open-test-mcp.js';
import { startScriptedMcp, toolEntry } from '../support/mcp/start-scripted-mcp.js';
import { newFolder } from '../support/suite.js';
import { testTurn } from '../support/tools/test-turn.js';

const tool = { name: 'go', description: 'go', inputSchema: { type: 'object', properties: {} } };
const greeting = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'x', version: '1' },
};

/** A command whose results are these, by method, and whose tool asks `asked` first. */
function command(results: Record<string, unknown>, asked?: object): Record<string, unknown> {
  const file = path.join(newFolder(), 'server.mjs');
  const all = {
    initialize: greeting,
    'tools/list': { tools: [tool] },
    'tools/call': { content: [{ type: 'text', text: 'went' }] },
    ...results,
  };
  writeFileSync(
    file,
    `import readline from 'node:readline';
    const results = ${JSON.stringify(all)};
    const asked = ${JSON.stringify(asked ?? null)};
    const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
    let call;
    readline.createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, result, error } = JSON.parse(line);
      if (method === undefined) {
        return send({ id: call, result: { content: [{ type: 'text', text: JSON.stringify(result ?? error) }] } });
      }
      if (id === undefined) return;
      if (method === 'tools/call' && asked !== null) {
        call = id;
        return send({ id: 'q', ...asked });
      }
      if (method in results) send({ id, result: results[method] });
      else send({ id, error: { code: -32601, message: 'Method not found' } });
    });`,
  );
  return { command: process.execPath, args: [file] };
}

describe('an MCP server with odd messages', () => {
  let mcp: Mcp;
  afterEach(() => mcp.close());
  const open = async (odd: Record<string, unknown>) => {
    mcp = await openTestMcp({ servers: { odd } });
    return turnOf(mcp, { asks: true });
  };

  const nulls: [string, Record<string, unknown>][] = [
    ['beside the list', { 'tools/list': { tools: [tool], nextCursor: null, _meta: null } }],
    [
      'in the greeting',
      {
        initialize: {
          ...greeting,
          capabilities: { tools: { listChanged: null }, prompts: null, experimental: null },
          serverInfo: { ...greeting.serverInfo, title: null, websiteUrl: null },
          instructions: null,
          _meta: null,
        },
      },
    ],
    [
      'for all that it can do',
      { initialize: { ...greeting, capabilities: { tools: null, prompts: null } } },
    ],
    [
      'in a tool',
      {
        'tools/list': {
          tools: [{ ...tool, title: null, outputSchema: null, annotations: null, _meta: null }],
        },
      },
    ],
    [
      'in the schema of a tool',
      { 'tools/list': { tools: [{ ...tool, inputSchema: { type: 'object', properties: null } }] } },
    ],
    [
      'in a result',
      {
        'tools/call': {
          content: [{ type: 'text', text: 'went', annotations: null, _meta: null }],
          structuredContent: null,
          isError: null,
          _meta: null,
        },
      },
    ],
  ];

  it.each(nulls)('has fields that are null, on a pipe: %s', async (_where, results) => {
    const turn = await open(command(results));
    expect(turn.problems).toEqual([]);
    expect(await callMcp(turn, 'mcp__odd__go')).toBe('went');
  });

  // Reports of others: python-sdk#1796, memos#6049, pi-mcp-adapter#113.
  it.each([
    ['alone', { structuredContent: { status: 'fine' } }, '{"status":"fine"}'],
    ['as a list', { content: [], structuredContent: [{ id: 1 }] }, '[{"id":1}]'],
    [
      'beside no content',
      { content: [], structuredContent: { summary: 'all' } },
      '{"summary":"all"}',
    ],
  ])('has structured content %s', async (_how, result, said) => {
    const turn = await open(command({ 'tools/call': result }));
    expect(await callMcp(turn, 'mcp__odd__go')).toBe(said);
  });

  it('has no tools where it declares none and answers so', async () => {
    const initialize = { ...greeting, capabilities: {} };
    const turn = await open(command({ initialize, 'tools/list': undefined }));
    expect(turn.problems).toEqual([{ server: 'odd', reason: 'it has no tools' }]);
  });

  it.each([false, true])('has fields that are null over HTTP, as events: %s', async (isStream) => {
    const server = await startScriptedMcp();
    try {
      server.isStream = isStream;
      server.tools = [toolEntry('go').replace(/\}$/, ',"title":null,"_meta":null}')];
      server.greeting = '"instructions":null,"_meta":null';
      server.results = {
        go: '{"content":[{"type":"text","text":"went","_meta":null}],"structuredContent":null,"_meta":null}',
      };
      const turn = await open({ url: server.url });
      expect(turn.problems).toEqual([]);
      expect(await callMcp(turn, 'mcp__odd__go')).toBe('went');
    } finally {
      await mcp.close();
      await server.close();
    }
  });

  /** What the server is answered, where its tool asks. */
  async function askedBy(asked: object, content: Record<string, string> = {}) {
    const questions: CallQuestion[] = [];
    const turn = await open(command({}, asked));
    const found = turn.tools.find(({ name }) => name === 'mcp__odd__go');
    const output = await found?.open({ turn: testTurn, workdir: '/' }).run(
      {},
      {
        callId: 'c',
        idempotencyKey: 't:c',
        signal: new AbortController().signal,
        progress: () => undefined,
        ask: async ({ kind, question, ...rest }): Promise<CallAnswer> => {
          questions.push({ kind, question, ...rest });
          return { kind, question, action: 'accept', content };
        },
      },
    );
    return { questions, answer: JSON.parse(outputText(output ?? '')) };
  }
  const form = (properties: object, more: object = {}) => ({
    method: 'elicitation/create',
    params: { message: 'Which?', requestedSchema: { type: 'object', properties, ...more } },
  });

  it('asks with references and fields that may be null, and is answered as it wants', async () => {
    const text = { anyOf: [{ type: 'string' }, { type: 'null' }], default: null };
    const $defs = { Priority: { enum: ['low', 'high'], type: 'string' } };
    const properties = { note: text, why: text, size: { $ref: '#/$defs/Priority' } };
    const asked = form(properties, { required: ['size', 'why'], $defs });
    const { questions, answer } = await askedBy(asked, { size: 'low' });
    expect(questions).toMatchObject([
      {
        question: {
          mode: 'form',
          message: 'Which?',
          schema: {
            properties: { note: { type: 'string' }, size: { enum: ['low', 'high'] } },
            required: ['size'],
          },
          nullable: ['why'],
        },
      },
    ]);
    expect(answer).toEqual({ action: 'accept', content: { size: 'low', why: null } });
  });

  it('is refused with the name of a field that cannot be shown, in a sentence', async () => {
    const { questions, answer } = await askedBy(form({ person: { type: 'object' } }));
    expect(questions).toEqual([]);
    expect(answer).toEqual({
      code: -32_602,
      message:
        'the form that it asks with cannot be shown: its field "person" is none of text, number, yes or no, or a choice',
    });
  });

  it.each<[string, object, string]>([
    ['no parameters', { method: 'elicitation/create', params: null }, 'cannot be shown'],
    [
      'a page that is none',
      { method: 'elicitation/create', params: { mode: 'url', message: 'x', url: 7 } },
      'a link that is none',
    ],
    [
      'an unknown way',
      { method: 'elicitation/create', params: { mode: 'voice', message: 'x' } },
      'in a way that is not known here',
    ],
  ])('is refused in a sentence: %s', async (_what, asked, why) => {
    const { answer } = await askedBy(asked);
    expect(answer).toMatchObject({ code: -32_602, message: expect.stringContaining(why) });
    expect(answer.message.length).toBeLessThan(200);
  });
});
