import { testTurn } from '../../test/support/tools/test-turn.js';
import { describe, expect, it } from '@jest/globals';
import { builtinTools } from './builtin/builtin-tools.js';
import { ToolRegistry, openTools } from './registry.js';
import { shellsOff } from './shells.js';
import type { ToolDefinition, OpenTool, ToolCall, ToolContext } from './tool.js';

const tool = (name: string): ToolDefinition => ({
  name,
  description: `the ${name} tool`,
  inputSchema: { type: 'object' },
  effect: 'read',
  retry: 'safe',
  open: () => ({ run: async () => name }),
});

describe('ToolRegistry', () => {
  it('takes what every server has', () => {
    const traits = new ToolRegistry(builtinTools(shellsOff('not here')))
      .list()
      .map(({ name, effect, retry }) => `${name} ${effect} ${retry}`);
    expect(traits).toEqual([
      'read read safe',
      'write edit never',
      'edit edit never',
      'glob read safe',
      'grep read safe',
      'bash command never',
      'todo_write read safe',
      'memory read idempotent',
      'task read idempotent',
      'load_skill read safe',
      'read_skill_file read safe',
      'mcp_resources read safe',
    ]);
  });

  it('keeps all that a tool says of itself', () => {
    for (const definition of builtinTools(shellsOff('not here'))) {
      const [registered] = new ToolRegistry([definition]).list();
      const { open, ...traits } = definition;
      expect(open).toBeDefined();
      expect(registered).toMatchObject(traits);
    }
  });

  it.each(['', 'a b', 'a.b', 'é', 'x'.repeat(65)])('refuses the name %j', (name) => {
    expect(() => new ToolRegistry([tool(name)])).toThrow('1 to 64 of a-z A-Z 0-9 _ -');
  });

  it('refuses a name that is taken', () => {
    const registry = new ToolRegistry([tool('look'), tool('x'.repeat(64))]);
    expect(() => registry.register(tool('look'))).toThrow('Tool look is registered already');
  });

  it('refuses a schema that is not valid, with the name of its tool', () => {
    const broken = { ...tool('look'), inputSchema: { type: 'array' } };
    expect(() => new ToolRegistry([broken])).toThrow('The input schema of tool look is not valid');
  });

  it('selects in the order of the names, each once, and says which it does not know', () => {
    const registry = new ToolRegistry([tool('a'), tool('b'), tool('c')]);
    const { tools, unknown } = registry.select(['c', 'nope', 'a', 'c', 'A']);
    expect(tools.map(({ name }) => name)).toEqual(['c', 'a']);
    expect(unknown).toEqual(['nope', 'A']);
  });
});

const call: ToolCall = {
  callId: 'call_1',
  idempotencyKey: 'turn_1:call_1',
  signal: new AbortController().signal,
  progress: () => undefined,
};

function open(...definitions: Pick<ToolDefinition, 'name' | 'open'>[]) {
  return openWith(() => ({ turn: testTurn, workdir: '/srv/project' }), definitions);
}

function openWith(
  openContext: () => ToolContext,
  definitions: readonly Pick<ToolDefinition, 'name' | 'open'>[],
) {
  const registry = new ToolRegistry(
    definitions.map((one) => ({
      description: '',
      inputSchema: { type: 'object' },
      effect: 'read',
      retry: 'safe',
      ...one,
    })),
  );
  return openTools(registry.list(), openContext);
}

describe('openTools', () => {
  it('opens the context of the tools once, at the first call of one', async () => {
    let opened = 0;
    const seen: unknown[] = [];
    const tool = (name: string): Pick<ToolDefinition, 'name' | 'open'> => ({
      name,
      open: (context) => {
        seen.push(context);
        return { run: async () => '' };
      },
    });
    const context = { turn: testTurn, workdir: '/srv/project' };
    const tools = openWith(() => {
      opened += 1;
      return context;
    }, [tool('a'), tool('b')]);
    expect([tools.get('a')?.name, opened]).toEqual(['a', 0]);
    await tools.get('a')?.run({}, call);
    await tools.get('b')?.run({}, call);
    expect([opened, seen]).toEqual([1, [context, context]]);
  });

  it('opens a tool once, at its first call, and closes it once', async () => {
    const log: string[] = [];
    const counter = (): OpenTool => {
      log.push('open');
      let calls = 0;
      return {
        run: async () => `call ${(calls += 1)}`,
        close: () => void log.push('close'),
      };
    };
    const tools = open({ name: 'counter', open: counter }, { name: 'unused', open: counter });
    expect(log).toEqual([]);
    const answers = [
      await tools.get('counter')?.run({}, call),
      await tools.get('counter')?.run({}, call),
    ];
    expect(answers).toEqual(['call 1', 'call 2']);
    await tools.close();
    await tools.close();
    expect(log).toEqual(['open', 'close']);
    expect(tools.get('other')).toBeUndefined();
  });

  it('makes a failure to open a failure of the call', async () => {
    const tools = open({
      name: 'broken',
      open: () => {
        throw new Error('no socket');
      },
    });
    await expect(tools.get('broken')?.run({}, call)).rejects.toThrow('no socket');
    await expect(tools.close()).resolves.toBeUndefined();
  });

  it('closes every tool, also after one that fails to', async () => {
    const closed: string[] = [];
    const failing: OpenTool = {
      run: async () => '',
      close: () => {
        throw new Error('stuck');
      },
    };
    const fine: OpenTool = { run: async () => '', close: () => void closed.push('fine') };
    const tools = open({ name: 'a', open: () => failing }, { name: 'b', open: () => fine });
    await tools.get('a')?.run({}, call);
    await tools.get('b')?.run({}, call);
    await expect(tools.close()).rejects.toMatchObject({ errors: [new Error('stuck')] });
    expect(closed).toEqual(['fine']);
  });
});
