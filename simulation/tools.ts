import type { ToolDefinition } from '../src/tools/tool.js';
import type { Actor } from './actor.js';
import type { Scheduler } from './scheduler.js';

/** Counts of effects, by their mark. */
export type Effects = Map<string, number>;

/** The tool that must not run again after its process died. */
export const effectTool = 'mark';

/** Tools of a process whose effects are counted; the process may die before and after an effect. */
export function fakeTools(actor: Actor, scheduler: Scheduler, effects: Effects): ToolDefinition[] {
  const tool = (
    name: string,
    { retry, effect }: Pick<ToolDefinition, 'retry' | 'effect'>,
  ): ToolDefinition => ({
    name,
    description: `A tool of the simulation. It may run again: ${retry}.`,
    inputSchema: {
      type: 'object',
      properties: { command: { type: 'string' } },
      required: ['command'],
    },
    effect,
    retry,
    open: () => ({
      run: async ({ command }) => {
        const mark = typeof command === 'string' ? command : 'nothing';
        await scheduler.gate(actor, `${name} begins ${mark}`);
        effects.set(mark, (effects.get(mark) ?? 0) + 1);
        await scheduler.gate(actor, `${name} has done ${mark}`);
        return `did ${mark}`;
      },
    }),
  });
  return [
    tool(effectTool, { retry: 'never', effect: 'command' }),
    tool('look', { retry: 'safe', effect: 'read' }),
  ];
}
