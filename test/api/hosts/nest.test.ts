import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import { packageRoot } from '../../../src/platform/process/package-root.js';
import { documentedBlocks } from '../../support/clients/documented-blocks.js';
import { startHost, type Host } from '../../support/processes/start-host.js';
import { newFolder } from '../../support/suite.js';

/**
 * Compiles the example, as its reader's build does: Node runs no decorators.
 *
 * @param folder of the program, below the repository. @param setUp what the application is told before it listens.
 * @returns the program's name.
 */
function compileExample(folder: string, setUp = ''): string {
  const source = readFileSync(path.join(packageRoot, 'examples/nest/main.ts'), 'utf8');
  const listening = 'app.enableShutdownHooks();';
  expect(source).toContain(listening);
  const name = `${folder}/nest-example.mjs`;
  compile(source.replace(listening, `${setUp}\n${listening}`), name);
  return name;
}

/** @param name of the program, from the repository. */
function compile(source: string, name: string): void {
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2023,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
    },
  });
  mkdirSync(path.join(packageRoot, path.dirname(name)), { recursive: true });
  writeFileSync(path.join(packageRoot, name), outputText);
}

/** Makes the folder of an application that has Nest 11, and a Turnpike of its own. @returns its name. */
function newNest11(): string {
  const folder = 'build/nest-11';
  const at = (...parts: string[]) => path.join(packageRoot, folder, ...parts);
  rmSync(at(), { recursive: true, force: true });
  mkdirSync(at('node_modules/turnpike'), { recursive: true });
  // Without it, `turnpike` would be the package around the folder.
  writeFileSync(at('package.json'), '{"name":"shop","private":true}');
  const nest = path.join(packageRoot, 'examples/nest-11/node_modules/@nestjs');
  symlinkSync(nest, at('node_modules/@nestjs'));
  for (const part of ['package.json', 'dist', 'instructions']) {
    cpSync(path.join(packageRoot, part), at('node_modules/turnpike', part), {
      recursive: true,
      filter: (file) => !file.endsWith('.map'),
    });
  }
  return folder;
}

/** The version of Nest that a file gets. */
function nestOf(file: string): string {
  const found = createRequire(path.join(packageRoot, file)).resolve('@nestjs/core');
  const { version } = JSON.parse(
    readFileSync(path.join(path.dirname(found), 'package.json'), 'utf8'),
  ) as { version: string };
  return version.split('.')[0] ?? '';
}

const tools = ['order_status', 'cancel_order', 'who_am_i'];

/** What an application does before it listens: its own routes have a prefix, and its parser takes ten bytes. */
const ownRules = "app.setGlobalPrefix('v1'); app.useBodyParser('json', { limit: 10 });";

describe.each([
  ['12', () => 'build', 'dist/nest.js', ''],
  // All of it below the rules: one start shows both.
  ['11', newNest11, 'build/nest-11/node_modules/turnpike/dist/nest.js', ownRules],
])('a Turnpike inside of an application on Nest %s', (version, newApplication, module, setUp) => {
  let host: Host;
  let url: string;
  beforeAll(async () => {
    const program = compileExample(newApplication(), setUp);
    expect([nestOf(program), nestOf(module)]).toEqual([version, version]);
    host = startHost(program, { DATA_DIR: newFolder() });
    url = await host.line();
  });
  afterAll(() => host.end('SIGKILL'));

  /** What a tool comes to in a turn of a user of the application. */
  async function run(user: string, call: string): Promise<string> {
    const client = new TurnpikeClient({ url: `${url}/agents`, headers: { 'x-user': user } });
    const { sessionId } = await client.sessions.create();
    const turn = await client.turn({ sessionId, message: `[[tool=${call}]]`, opts: { tools } });
    return (await turn.result()).text;
  }

  it('runs methods of its services, with what is injected into them', async () => {
    expect(await run('ada', 'order_status {"id":"7"}')).toContain('Order 7 left the warehouse');
  });

  it('tells the model what is wrong with its input', async () => {
    expect(await run('ada', 'order_status {"id":7}')).toMatch(/order_status \(error\): .*id/);
  });

  it('makes providers of the scope of a request for each call, with whose call it is', async () => {
    expect(await run('ada', 'who_am_i {}')).toContain('who_am_i: host:ada');
    expect(await run('ben', 'who_am_i {}')).toContain('who_am_i: host:ben');
  });

  it('asks the guards of a method, and the model reads what they refuse', async () => {
    expect(await run('staff', 'cancel_order {"id":"7"}')).toContain('{"cancelled":"7"}');
    expect(await run('ada', 'cancel_order {"id":"7"}')).toContain(
      'cancel_order (error): Only staff may cancel orders.',
    );
  });

  it('has a client for the application itself, and answers its own routes', async () => {
    const own = await fetch(`${url}${setUp === '' ? '' : '/v1'}/ask`);
    expect(await own.text()).toContain('You wrote: "Hello"');
    const nobody = await fetch(`${url}/agents/api/harness/me`);
    expect(nobody.status).toBe(401);
  });

  it('is where it was told, whatever is before the application’s own routes', async () => {
    const other =
      setUp === ''
        ? startHost(compileExample(newApplication(), ownRules), { DATA_DIR: newFolder() })
        : undefined;
    const base = (await other?.line()) ?? url;
    const client = new TurnpikeClient({ url: `${base}/agents`, headers: { 'x-user': 'ada' } });
    const { sessionId } = await client.sessions.create();
    const message = 'A body of more than ten bytes';
    const turn = await client.turn({ sessionId, message });
    expect((await turn.result()).text).toContain(message);
    expect((await fetch(`${base}/v1/ask`)).status).toBe(200);
    expect((await fetch(`${base}/v1/agents/api/harness/me`)).status).toBe(404);
    if (other !== undefined) expect(await other.end('SIGTERM')).toBe(null);
  });

  it('ends with it', async () => {
    // Nest sends the signal again, once its hooks are done.
    expect(await host.end('SIGTERM')).toBe(null);
    expect(host.stderr()).toBe('');
  });
});

describe('the Nest application of the guide', () => {
  it('answers the request of the guide with its tool, and logs no routes', async () => {
    const blocks = documentedBlocks().get('docs/guide/inside-your-application.md') ?? [];
    const [, , asking, application] = blocks;
    const program = (application?.code ?? '')
      .replace('.turnpike-embedded', newFolder())
      .replace(
        "app.listen(3000, '127.0.0.1');",
        "app.listen(0, '127.0.0.1'); console.log(await app.getUrl());",
      );
    compile(program, 'build/documented-nest.mjs');
    const host = startHost('build/documented-nest.mjs', {});
    try {
      let url = '';
      while (!url.startsWith('http://')) url = await host.line();
      const command = (asking?.code ?? '').replace('http://localhost:3000', url);
      const { stdout } = await promisify(execFile)('bash', ['-c', command]);
      expect(stdout).toContain('left the warehouse at nine');
      expect(host.lines.filter((line) => /DEBUG/.test(line))).toEqual([]);
    } finally {
      await host.end('SIGKILL');
    }
  });
});
