import { spawn, type ChildProcess } from 'node:child_process';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { packageRoot } from '../../src/platform/process/package-root.js';
import { manifest } from '../support/package/manifest.js';
import { sandboxEnvironment } from '../support/processes/test-shells.js';
import { runNpm } from '../support/package/run-npm.js';
import { newFolder } from '../support/suite.js';

/** What a clone has beside its sources. */
const notSources = new Set(['.git', '.turnpike', 'build', 'dist', 'node_modules']);

/** A client with types, as users of the package write it. */
const program = `
import { TurnpikeClient, type HarnessEvent } from '${manifest.name}/client';
import { TurnpikeChatTransport } from '${manifest.name}/client/ai-sdk';
import { defineExtension } from '${manifest.name}/extend';
import type { ChatMessage, TurnpikeChat } from '${manifest.name}/client/react';

export const textOf = ({ messages }: TurnpikeChat): string[] =>
  messages.flatMap(({ parts }: ChatMessage) => parts.flatMap((part) => (part.type === 'text' ? part.text : [])));
export const client = new TurnpikeClient({ url: process.argv[2] ?? '' });
export const kinds = [TurnpikeChatTransport, defineExtension].map((part) => typeof part);
const { sessionId } = await client.sessions.create({ projectRoot: process.cwd() });
const turn = await client.turn({ sessionId, message: 'Hello' });
const events: HarnessEvent['event'][] = [];
for await (const { event } of turn) events.push(event);
const { outcome, text } = await turn.result();
console.log(JSON.stringify({ outcome, text, kinds, hasText: events.includes('chat:delta') }));
`;

/** Every entry but that for the AI SDK, whose own declarations have faults. */
const everyEntry = `
import { connect, createSdkMcpServer, query, tool as sdkTool, type Options, type SDKMessage } from '${manifest.name}/agent-sdk';
import { defineAgent, defineTool, fromAiSdkTool, ToolFailure, type AgentDefinition, type ToolCall } from '${manifest.name}';
import { TurnpikeClient, type HarnessEvent } from '${manifest.name}/client';
import { defineExtension, type Extension } from '${manifest.name}/extend';
import { Turnpike, TurnpikeModule, TurnpikeTool } from '${manifest.name}/nest';
import { createTurnpike, type EmbeddedTurnpike } from '${manifest.name}/server';
import * as z from 'zod';

const tool = defineTool({
  name: 'order_status',
  description: 'Looks up where an order is.',
  input: z.object({ id: z.string(), lines: z.array(z.string()).default([]) }),
  run: ({ id, lines }, call: ToolCall) => {
    // @ts-expect-error it is text
    if (id === 7) throw new ToolFailure('No number');
    return { id, lines: lines.length, for: call.principal };
  },
});
const agent: AgentDefinition = defineAgent({ name: 'desk', prompt: 'You help.', tools: [tool.name] });
// @ts-expect-error a prompt is missing
defineAgent({ name: 'desk' });
const extension: Extension = defineExtension((turnpike) => turnpike.addTool(tool));
export const embedded: EmbeddedTurnpike = await createTurnpike({
  dataDir: '.data',
  tools: [tool, fromAiSdkTool('a', { inputSchema: {}, execute: () => 1 })],
  agents: [agent],
  extension,
  authenticate: (head, request) => (request.url === '' ? undefined : { principal: head.headers['x-user'] ?? '' }),
});
export const answer: Response = await embedded.fetch(new Request('http://host.example/'));
export const client: TurnpikeClient = embedded.client('ada');
export const kinds: HarnessEvent['event'][] = [];
export class Tools {
  @TurnpikeTool({ description: 'Says who.', input: z.object({}) })
  who(_input: object, { principal }: ToolCall): string {
    return principal;
  }
}
export const module = TurnpikeModule.forRootAsync({ useFactory: () => ({ dataDir: '.data', agents: [agent] }) });
const options: Options = {
  mcpServers: {
    desk: createSdkMcpServer({
      name: 'desk',
      tools: [sdkTool('order', 'Looks one up.', { id: z.string() }, async ({ id }) => ({ content: [{ type: 'text', text: id.trim() }] }))],
    }),
  },
  canUseTool: (name, updatedInput) =>
    name === 'Read' ? { behavior: 'allow', updatedInput } : { behavior: 'deny', message: 'No.' },
};
export const textOf = (message: SDKMessage): string =>
  message.type === 'assistant' && message.message.content[0].type === 'text' ? message.message.content[0].text : '';
export const queries = [query({ prompt: 'Hi', options }), connect(embedded).query({ prompt: 'Hi' })];
export const use = (turnpike: Turnpike): TurnpikeClient => turnpike.client('ada');
`;

describe('the package, packed from sources without git and installed from the tarball', () => {
  let empty: string;
  let packed: string;
  const folder = newFolder();
  beforeAll(async () => {
    const sources = path.join(folder, 'sources');
    await cp(packageRoot, sources, {
      recursive: true,
      // A lock file that looks newer than its packages would have them installed.
      preserveTimestamps: true,
      filter: (file) => !notSources.has(path.relative(packageRoot, file)),
    });
    await symlink(path.join(packageRoot, 'node_modules'), path.join(sources, 'node_modules'));
    // Its scripts build it.
    await runNpm(sources, 'pack', '--pack-destination', folder);
    empty = path.join(folder, 'empty');
    await mkdir(empty);
    const tarball = (await readdir(folder)).find((file) => file.endsWith('.tgz')) ?? '';
    packed = path.join(folder, tarball);
    // The AI SDK is the user's own.
    await runNpm(empty, 'install', packed, 'ai@6');
  });
  const started: ChildProcess[] = [];
  afterAll(async () => {
    for (const { pid, exitCode, signalCode } of started) {
      if (exitCode === null && signalCode === null) process.kill(-Number(pid), 'SIGTERM');
    }
  });

  /** Starts a program of the folder; what it prints, and its end. */
  function start(command: string, ...args: string[]) {
    const { PATH = '', HOME = '' } = process.env;
    const env = { PATH, HOME, TURNPIKE_PORT: '0', ...sandboxEnvironment };
    // A group of its own: a terminal's Ctrl-C goes to npx and to what it started.
    const child = spawn(command, args, { cwd: empty, env, detached: true });
    started.push(child);
    let output = '';
    const served = new Promise<string>((resolve) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text;
          const url = /serves (http:[^\s"]+) from now on/.exec(output)?.[1];
          if (url !== undefined) resolve(url);
        });
      }
    });
    const ended = new Promise<{ code: number | null; output: string }>((resolve) => {
      child.once('close', (code) => resolve({ code, output }));
    });
    return { child, ended, served };
  }

  it('brings no package with a script, and none that its users need not have', async () => {
    const lock = path.join(empty, 'node_modules/.package-lock.json');
    const { packages } = JSON.parse(await readFile(lock, 'utf8')) as {
      packages: Record<string, { hasInstallScript?: boolean }>;
    };
    const withScript = Object.entries(packages).filter(
      ([, { hasInstallScript }]) => hasInstallScript,
    );
    expect(withScript).toEqual([]);
    const names = Object.keys(packages).map((at) => at.replace(/^node_modules\//, ''));
    expect(
      names.filter((name) => /scarf|react|vite|typescript|jest|bullmq|nestjs/.test(name)),
    ).toEqual([]);
  });

  it.each([
    ['publint/src/cli.js', '--strict'],
    ['@arethetypeswrong/cli/dist/index.js', '--profile', 'esm-only'],
  ])('has entries and types that resolve, says %s', async (program, ...options) => {
    const file = path.join(packageRoot, 'node_modules', program);
    const { code, output } = await start(process.execPath, file, packed, ...options).ended;
    expect([code, output]).toEqual([0, expect.any(String)]);
  });

  it('has types that a strict compiler takes, whichever way it resolves them', async () => {
    const typed = path.join(folder, 'typed');
    await mkdir(typed);
    await writeFile(path.join(typed, 'package.json'), JSON.stringify({ type: 'module' }));
    const nest = ['common', 'core'].map((name) => `@nestjs/${name}@12`);
    const peers = [...nest, 'reflect-metadata', 'rxjs', 'zod@4', '@types/node@22'];
    await runNpm(typed, 'install', packed, ...peers);
    await writeFile(path.join(typed, 'every.ts'), everyEntry);
    const tsc = path.join(packageRoot, 'node_modules/typescript/bin/tsc');
    const resolutions = [
      ['nodenext', 'nodenext'],
      ['esnext', 'bundler'],
    ];
    for (const [module, moduleResolution] of resolutions) {
      const compilerOptions = {
        module,
        moduleResolution,
        target: 'es2022',
        types: ['node'],
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        experimentalDecorators: true,
        skipLibCheck: false,
        noEmit: true,
      };
      const project = path.join(typed, `${moduleResolution}.json`);
      await writeFile(project, JSON.stringify({ compilerOptions, files: ['every.ts'] }));
      const compiled = await start(process.execPath, tsc, '--project', project).ended;
      expect([moduleResolution, compiled]).toEqual([moduleResolution, { code: 0, output: '' }]);
    }
  });

  it('has its manual, for people and coding agents', async () => {
    const inside = path.join(empty, 'node_modules', manifest.name);
    const index = await readFile(path.join(inside, 'llms.txt'), 'utf8');
    const pages = [...index.matchAll(/\]\((docs\/[^)]+)\)/g)].map(([, page = '']) => page);
    expect(pages.length).toBeGreaterThan(50);
    for (const page of pages) {
      expect([page, (await readFile(path.join(inside, page), 'utf8')).startsWith('# ')]).toEqual([
        page,
        true,
      ]);
    }
  });

  it('starts with npx, runs a turn, serves its pages, and stops in order', async () => {
    const server = start('npx', manifest.name);
    const url = await Promise.race([server.served, server.ended.then(({ output }) => output)]);
    expect(url).toMatch(/^http:\S+$/);
    const health = (await (await fetch(`${url}/health`)).json()) as Record<string, unknown>;
    expect(health).toMatchObject({ status: 'healthy', version: manifest.version });
    expect(health).not.toHaveProperty('commit');
    const turn = await start('npx', manifest.name, 'turn', '--url', url, 'Hello').ended;
    expect(turn).toEqual({ code: 0, output: expect.stringContaining('You wrote: "Hello"') });
    for (const page of ['/', '/docs', '/docs/swagger-ui-bundle.js', '/docs/swagger-ui.css']) {
      expect([page, (await fetch(url + page)).status]).toEqual([page, 200]);
    }

    await writeFile(path.join(empty, 'use.ts'), program);
    const options = {
      compilerOptions: {
        target: 'es2022',
        module: 'nodenext',
        types: ['node'],
        typeRoots: [path.join(packageRoot, 'node_modules/@types')],
        strict: true,
        // The AI SDK's own declarations have faults.
        skipLibCheck: true,
      },
      files: ['use.ts'],
    };
    await writeFile(path.join(empty, 'tsconfig.json'), JSON.stringify(options));
    await writeFile(path.join(empty, 'package.json'), JSON.stringify({ type: 'module' }));
    const tsc = path.join(packageRoot, 'node_modules/typescript/bin/tsc');
    expect(await start(process.execPath, tsc).ended).toEqual({ code: 0, output: '' });
    const used = await start(process.execPath, 'use.js', url).ended;
    expect(used.code).toBe(0);
    expect(JSON.parse(used.output)).toMatchObject({
      outcome: 'completed',
      kinds: ['function', 'function'],
      hasText: true,
    });

    process.kill(-Number(server.child.pid), 'SIGINT');
    await server.ended;
    // Only an orderly stop gives the folder back.
    expect(await readdir(path.join(empty, '.turnpike'))).toEqual(['db']);
  });
});
