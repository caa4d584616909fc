import { describe, expect, it } from '@jest/globals';
import { openTools } from './open-tools.js';
import { ToolRegistry } from './registry.js';
import type { OpenTool, ToolCall, ToolContext, ToolDefinition } from './tool.js';

const call: ToolCall = {
  callId: 'call_1',
  idempotencyKey: 'turn_1:call_1',
  signal: new AbortController().signal,
  progress: () => undefined,
};

function open(...definitions: Pick<ToolDefinition, 'name' | 'open'>[]) {
  return openWith(() => ({ workdir: '/srv/project' }), definitions);
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
    const context = { workdir: '/srv/project' };
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
