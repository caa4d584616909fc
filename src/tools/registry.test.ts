import { describe, expect, it } from '@jest/globals';
import { builtinTools } from './builtin/builtin-tools.js';
import { ToolRegistry } from './registry.js';
import { shellsOff } from './shells.js';
import type { ToolDefinition } from './tool.js';

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
