import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import { packageRoot } from '../../../src/platform/process/package-root.js';
import { startHost, type Host } from '../../support/processes/start-host.js';
import { newFolder } from '../../support/suite.js';

/** Compiles the example, as its reader's build does: Node runs no decorators. @returns the program's name. */
function compileExample(): string {
  const source = readFileSync(path.join(packageRoot, 'examples/nest/main.ts'), 'utf8');
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2023,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
    },
  });
  mkdirSync(path.join(packageRoot, 'build'), { recursive: true });
  writeFileSync(path.join(packageRoot, 'build/nest-example.mjs'), outputText);
  return 'build/nest-example.mjs';
}

const tools = ['order_status', 'cancel_order', 'who_am_i'];

describe('a Turnpike inside of a Nest application', () => {
  let host: Host;
  let url: string;
  beforeAll(async () => {
    host = startHost(compileExample(), { DATA_DIR: newFolder() });
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
    const own = await fetch(`${url}/ask`);
    expect(await own.text()).toContain('You wrote: "Hello"');
    const nobody = await fetch(`${url}/agents/api/harness/me`);
    expect(nobody.status).toBe(401);
  });

  it('ends with it', async () => {
    // Nest sends the signal again, once its hooks are done.
    expect(await host.end('SIGTERM')).toBe(null);
    expect(host.stderr()).toBe('');
  });
});
