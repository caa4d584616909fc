import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { freePort, untilListening } from '../../../scripts/services/free-port.mjs';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import type { Usage } from '../../../src/storage/shapes/stored-step.js';
import { startServer, useServer, type TestServer } from '../../support/processes/start-server.js';
import { newFolder } from '../../support/suite.js';

const programOf = (name: string): string =>
  fileURLToPath(import.meta.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`));

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const folder = realpathSync(newFolder());
const at = (name: string): string => path.join(folder, name);

const everything: Record<string, object> = {
  echo: { message: 'hello' },
  'get-annotated-message': { messageType: 'error', includeImage: true },
  'get-env': {},
  'get-resource-links': { count: 2 },
  'get-resource-reference': { resourceType: 'Blob', resourceId: 2 },
  'get-structured-content': { location: 'Chicago' },
  'get-sum': { a: 1, b: 2 },
  'get-tiny-image': {},
  'gzip-file-as-resource': {
    name: 'a.gz',
    data: 'data:text/plain;base64,aGVsbG8=',
    outputType: 'resource',
  },
  'toggle-simulated-logging': {},
  'toggle-subscriber-updates': {},
  'trigger-long-running-operation': { duration: 1, steps: 2 },
};

const a = { name: 'a', entityType: 'letter', observations: ['first'] };
const link = { from: 'a', to: 'b', relationType: 'before' };

/** The input of a call of each tool, in the order of the calls. */
const calls: Record<string, Record<string, object>> = {
  everything,
  web: everything,
  old: everything,
  files: {
    write_file: { path: at('a.txt'), content: 'one' },
    edit_file: { path: at('a.txt'), edits: [{ oldText: 'one', newText: 'two' }] },
    read_file: { path: at('a.txt') },
    read_text_file: { path: at('a.txt') },
    read_media_file: { path: at('a.png') },
    read_multiple_files: { paths: [at('a.txt'), at('a.png')] },
    create_directory: { path: at('sub') },
    list_directory: { path: folder },
    list_directory_with_sizes: { path: folder },
    directory_tree: { path: folder },
    move_file: { source: at('a.txt'), destination: at('sub/b.txt') },
    search_files: { path: folder, pattern: '**/*.txt' },
    get_file_info: { path: at('sub/b.txt') },
    list_allowed_directories: {},
  },
  memory: {
    create_entities: { entities: [a, { ...a, name: 'b' }] },
    create_relations: { relations: [link] },
    add_observations: { observations: [{ entityName: 'a', contents: ['of all'] }] },
    read_graph: {},
    search_nodes: { query: 'letter' },
    open_nodes: { names: ['a'] },
    delete_observations: { deletions: [{ entityName: 'a', observations: ['of all'] }] },
    delete_relations: { relations: [link] },
    delete_entities: { entityNames: ['b'] },
  },
  thinking: {
    sequentialthinking: {
      thought: 'So be it.',
      nextThoughtNeeded: false,
      thoughtNumber: 1,
      totalThoughts: 1,
    },
  },
};

const servers = Object.keys(calls);
/** Tools of server-everything that ask their person: `mcp-questions.test.ts` calls them. */
const asking = ['trigger-elicitation-request', 'trigger-url-elicitation'];

describe('the official MCP servers', () => {
  const running: { kill(): boolean }[] = [];
  afterAll(() => {
    for (const one of running) one.kill();
  });

  /** Starts server-everything over HTTP, until it listens. */
  async function listen(transport: string): Promise<number> {
    const port = await freePort();
    const child = spawn(process.execPath, [programOf('everything'), transport], {
      env: { PATH: process.env['PATH'], PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    running.push(child);
    let printed = '';
    child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    const failure = (): string | undefined =>
      child.exitCode === null ? undefined : `${transport} has ended:\n${printed}`;
    await untilListening(port, failure, 120_000);
    return port;
  }

  const server = useServer(async () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(at('a.png'), Buffer.from(pixel, 'base64'));
    const file = path.join(newFolder(), 'mcp.json');
    const command = process.execPath;
    const [web, old] = await Promise.all([listen('streamableHttp'), listen('sse')]);
    const mcpServers = {
      everything: { command, args: [programOf('everything')] },
      web: { url: `http://127.0.0.1:${web}/mcp` },
      old: { type: 'sse', url: `http://127.0.0.1:${old}/sse` },
      files: { command, args: [programOf('filesystem'), folder] },
      memory: {
        command,
        args: [programOf('memory')],
        env: { MEMORY_FILE_PATH: path.join(newFolder(), 'memory.json') },
      },
      thinking: { command, args: [programOf('sequential-thinking')] },
    };
    writeFileSync(file, JSON.stringify({ mcpServers }));
    const all = servers.map((name) => `mcp__${name}__*`).join(', ');
    return {
      environment: {
        TURNPIKE_INSTRUCTION_ROOT: instructionRootWith({
          USER: [`mcp_servers: [${servers.join(', ')}]`, `permissions: {allow: [${all}]}`],
          FIVE: ['mcp_servers: [everything, web, files, memory, thinking]'],
        }),
        TURNPIKE_MCP_FILE: file,
        TURNPIKE_MCP_CONNECT_MS: '60000',
        TURNPIKE_MCP_WAIT_MS: '60000',
      },
    };
  });

  async function call(name: string, input: object) {
    const sessionId = await server.client.createSession(server.projectRoot, { persona: 'USER' });
    const stream = await server.client.turn(sessionId, `[[tool=${name} ${JSON.stringify(input)}]]`);
    const frames = await stream.all();
    const result = frames.find(({ event }) => event === 'tool:result')?.data ?? {};
    return { frames, result, turnId: stream.header('x-turn-id') };
  }

  it('are all up, and have the tools that are called below', async () => {
    await call('mcp__everything__echo', { message: 'hello' });
    const { body } = await server.client.get('/api/harness/tools?limit=200');
    const listed = (body['tools'] as { name: string }[]).map(({ name }) => name);
    const expected = servers.flatMap((name) =>
      [...Object.keys(calls[name] ?? {}), ...(calls[name] === everything ? asking : [])].map(
        (tool) => `mcp__${name}__${tool}`,
      ),
    );
    expect(listed.filter((name) => name.startsWith('mcp__')).sort()).toEqual(expected.sort());
  });

  it.each(servers)('run every tool of %s', async (name) => {
    const failed: unknown[] = [];
    for (const [tool, input] of Object.entries(calls[name] ?? {})) {
      const { result } = await call(`mcp__${name}__${tool}`, input);
      if (result['status'] !== 'success') failed.push([tool, result['output']]);
    }
    expect(failed).toEqual([]);
  });

  it.each(['everything', 'web', 'old'])(
    'show a picture of %s to the model and to clients',
    async (name) => {
      const { turnId } = await call(`mcp__${name}__get-tiny-image`, {});
      const { body } = await server.client.get(`/api/harness/turns/${turnId}/tools`);
      expect(JSON.stringify(body)).toContain('image/png');
      expect(JSON.stringify(server.modelRequests.at(-1)?.body.messages)).toContain(
        '"media_type":"image/png"',
      );
    },
  );

  it.each(['everything', 'web', 'old'])('of %s tell how far a long call is', async (name) => {
    const tool = `mcp__${name}__trigger-long-running-operation`;
    const { frames } = await call(tool, { duration: 6, steps: 8 });
    const notes = frames.filter(({ event }) => event === 'tool:progress').map(({ data }) => data);
    expect(JSON.stringify(notes)).toMatch(/\d\/8/);
  });

  /** Tokens of the prompt of a turn's first call. */
  async function firstPrompt({ client, projectRoot }: TestServer): Promise<number> {
    const sessionId = await client.createSession(projectRoot, { persona: 'FIVE' });
    const frames = await (await client.turn(sessionId, 'Hello')).all();
    const step = frames.find(({ event }) => event === 'step:end');
    const usage = step?.data['usage'] as Usage;
    return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  }

  it('take a small part of a first call where a search finds them', async () => {
    const { mcpFile = '', instructionRoot } = server.config;
    const without = await startServer({
      environment: {
        TURNPIKE_MCP_FILE: mcpFile,
        TURNPIKE_INSTRUCTION_ROOT: instructionRoot,
        TURNPIKE_MCP_CONNECT_MS: '60000',
        TURNPIKE_MCP_WAIT_MS: '60000',
        TURNPIKE_TOOL_SEARCH: 'off',
      },
    });
    const before = await firstPrompt(without);
    await without.close();
    const after = await firstPrompt(server);
    const guide = readFileSync(
      new URL('../../../docs/guide/mcp-tools.md', import.meta.url),
      'utf8',
    );
    for (const [setting, tokens] of [
      ['`TURNPIKE_TOOL_SEARCH=off`', before],
      ['`auto`', after],
    ] as const) {
      // The guide's figure, which a longer path of the project or another version of a server changes a little.
      const [, figure = ''] = guide.split(`| ${setting} | `);
      expect([setting, tokens / Number.parseInt(figure.replace(',', ''), 10)]).toEqual([
        setting,
        expect.closeTo(1, 1),
      ]);
    }
  });
});
