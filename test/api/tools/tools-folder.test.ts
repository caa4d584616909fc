import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { runCommand } from '../../../src/cli/program.js';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import { packageRoot } from '../../../src/platform/process/package-root.js';
import { cliProgram } from '../../support/processes/built-programs.js';
import { runProgram } from '../../support/processes/run-program.js';
import { startServer } from '../../support/processes/start-server.js';
import { newFolder } from '../../support/suite.js';

const examples = path.join(packageRoot, 'examples/tools');

/** A tool in TypeScript, without a build and without an installed package. */
const orderStatus = (state: string): string => `
import { defineTool, type ToolCall } from 'turnpike';

interface Order { id: string }

export default defineTool({
  description: 'Looks up where an order is.',
  input: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  effect: 'read',
  run: (input, call: ToolCall) => {
    const { id } = input as unknown as Order;
    return { id, state: '${state}', for: call.principal };
  },
});
`;

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = newFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  return folder;
}

async function ask(url: string, call: string): Promise<string> {
  const client = new TurnpikeClient({ url });
  const { sessionId } = await client.sessions.create();
  const opts = { tools: ['order_status'] };
  const turn = await client.turn({ sessionId, message: `[[tool=order_status ${call}]]`, opts });
  return (await turn.result()).text;
}

/** Runs `turnpike tools` here. */
async function runTools(folder: string, ...args: string[]) {
  let stdout = '';
  let stderr = '';
  const code = await runCommand(['tools', ...args], {
    environment: { TURNPIKE_TOOLS_DIR: folder },
    out: (text) => void (stdout += text),
    err: (text) => void (stderr += text),
    exitCode: 0,
  });
  return { code, stdout, stderr };
}

/** Begins a turn, and reads it to its first word. @returns its id. */
async function begin(url: string, message: string): Promise<string> {
  const client = new TurnpikeClient({ url });
  const { sessionId } = await client.sessions.create();
  const turn = await client.turn({ sessionId, message });
  for await (const { event } of turn) if (event === 'chat:delta') break;
  return turn.turnId;
}

describe('a folder of tools', () => {
  it('has typed input where a schema makes it: the example', async () => {
    const server = await startServer({ environment: { TURNPIKE_TOOLS_DIR: examples } });
    const shown = '{"id":"7","state":"left the warehouse at nine","for":"local","lines":[]}';
    expect(await ask(server.url, '{"id":"7"}')).toContain(shown);
    expect(await ask(server.url, '{"id":"0"}')).toContain('(error): There is no order 0.');
    await server.close();
  });
});

describe('turnpike tools', () => {
  const run = (...args: string[]) => runTools(examples, ...args);

  it('lists them, and tries one without a server, in a process of its own', async () => {
    expect((await run('list')).stdout).toMatch(
      /^TOOL .*\n[^]*order_status +read +safe +Looks up where an order is\./,
    );
    const call = ['tools', 'try', 'order_status', '{"id":"7"}'];
    const tried = await runProgram(cliProgram, call, { TURNPIKE_TOOLS_DIR: examples });
    expect(JSON.parse(tried.stdout)).toMatchObject({ id: '7', for: 'you', lines: [] });
  });

  it('shows what a tool says while it runs, on standard error', async () => {
    const run = "(_input, call) => (call.progress('looking'), 'found')";
    const tool = `export default { description: 'A.', inputSchema: { type: 'object' }, run: ${run} }`;
    expect(await runTools(folderWith({ 'look.mjs': tool }), 'try', 'look')).toEqual({
      code: 0,
      stdout: 'found\n',
      stderr: 'looking\n',
    });
  });

  it.each([
    [['try', 'order_status', '{}'], 1, 'order_status: input is not valid'],
    [['try', 'order_status', '{"id":"0"}'], 1, 'There is no order 0.'],
    [['try', 'order_status', '[7]'], 2, 'The input is no JSON object'],
    [['try', 'orders'], 2, 'There is no tool orders. There are: order_status, ticket_state.'],
    [['list', '--dir', '/nowhere'], 1, 'there is no such folder'],
  ])('says what is wrong: %j', async (args, code, fault) => {
    const ended = await run(...args);
    expect([ended.code, ended.stdout + ended.stderr]).toEqual([
      code,
      expect.stringContaining(fault),
    ]);
  });
});

describe('a file that is no tool', () => {
  it.each([
    ['broken.mjs', 'export default {', 'it has a syntax error'],
    ['nothing.mjs', 'export const a = 1', 'its default export must be a tool'],
    ['other.mjs', 'export default { name: "mine", run: () => "" }', 'has the name of its file'],
  ])('is named, with its fault: %s', async (name, text, fault) => {
    const { code, stderr } = await runTools(folderWith({ [name]: text }), 'list');
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${name}:`)]);
    expect(stderr).toContain(fault);
  });

  it('is named where it is a link to a place outside', async () => {
    const elsewhere = folderWith({ 'tool.mjs': 'export default {}' });
    const linking = newFolder();
    symlinkSync(path.join(elsewhere, 'tool.mjs'), path.join(linking, 'tool.mjs'));
    const { stderr } = await runTools(linking, 'list');
    expect(stderr).toContain('tool.mjs: it is a link to a file outside of the folder');
  });
});

describe('turnpike dev', () => {
  it('has a tool in each file, starts again when a tool or an agent changes, survives a tool that is broken, and turns go on', async () => {
    const tools = folderWith({
      'order_status.ts': orderStatus('first'),
      '_shared.ts': 'throw new Error("not a tool")',
      'order_status.test.ts': 'throw new Error("not a tool")',
      'notes.md': 'Not a tool',
    });
    const instructions = newFolder();
    mkdirSync(path.join(instructions, 'agents'));
    const desk = path.join(instructions, 'agents/desk.ts');
    const agent = (text: string): void =>
      writeFileSync(desk, `export default { description: '${text}', prompt: 'You help.' }`);
    agent('first');
    const [program, ...first] = cliProgram;
    const { PATH = '', HOME = '' } = process.env;
    const child = spawn(program, [...first, 'dev'], {
      env: {
        PATH,
        HOME,
        TURNPIKE_PORT: '0',
        TURNPIKE_INSTRUCTION_ROOT: instructions,
        TURNPIKE_DATA_DIR: path.join(newFolder(), 'data'),
        TURNPIKE_PROJECTS_DIR: path.join(newFolder(), 'projects'),
        TURNPIKE_TOOLS_DIR: tools,
      },
    });
    let output = '';
    let seen = 0;
    let wake = (): void => undefined;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        wake();
      });
    }
    /** Waits for a text after those that were waited for. */
    const next = async (pattern: RegExp): Promise<string> => {
      for (;;) {
        const found = pattern.exec(output.slice(seen));
        if (found !== null) {
          seen += found.index + found[0].length;
          return found[1] ?? '';
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    };
    const serves = /serves (http:[^\s"]+) from now on/;
    const url = await next(serves);
    expect(await ask(url, '{"id":"7"}')).toContain('"state":"first","for":"local"');
    const running = await begin(url, '[[tokens=200 gap=20]]');
    // The tool is broken until there is what it imports, in a folder that nobody watches.
    const missing = path.join(newFolder(), 'missing.mjs');
    const broken = `import ${JSON.stringify(missing)};${orderStatus('second')}`;
    writeFileSync(path.join(tools, 'order_status.ts'), broken);
    await next(/order_status\.ts:1:8: it imports (\S*missing\.mjs), and there is no such file/);
    await next(/The version before it keeps running/);
    expect(await ask(url, '{"id":"7"}')).toContain('"state":"first"');
    const fault = { file: expect.stringMatching(/\/order_status\.ts$/), line: 1, column: 8 };
    const { faults } = await new TurnpikeClient({ url }).toolSources();
    expect(faults).toEqual([{ ...fault, message: expect.stringContaining('it imports') }]);
    writeFileSync(missing, '');
    agent('second');
    const last = await next(serves);
    expect(await ask(last, '{"id":"7"}')).toContain('"state":"second"');
    expect((await new TurnpikeClient({ url: last }).toolSources()).faults).toEqual([]);
    expect(await new TurnpikeClient({ url: last }).agents()).toMatchObject([
      { name: 'desk', description: 'second' },
    ]);
    const gone = await new TurnpikeClient({ url: last }).follow(running).result();
    // What the server reads again by itself needs no new process: the turn that runs is not handed on.
    const kept = await begin(last, '[[tokens=100 gap=20]]');
    writeFileSync(
      path.join(instructions, 'agents/clerk.md'),
      '---\ntools: [none_such]\n---\nYou help.',
    );
    await next(/agents\/clerk\.md:2: /);
    expect((await new TurnpikeClient({ url: last }).toolSources()).faults).toHaveLength(1);
    writeFileSync(
      path.join(instructions, 'agents/clerk.md'),
      '---\ndescription: A clerk\n---\nYou help.',
    );
    await next(/Turns have it from now on/);
    expect((await new TurnpikeClient({ url: last }).toolSources()).faults).toEqual([]);
    const events: string[] = [];
    for await (const { event } of new TurnpikeClient({ url: last }).follow(kept))
      events.push(event);
    expect(events).toContain('chat:complete');
    expect(events).not.toContain('turn:recovering');
    expect(output.slice(seen)).not.toMatch(serves);
    expect([gone.outcome, gone.text.split(' ').length]).toEqual(['completed', 200]);
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  });
});
