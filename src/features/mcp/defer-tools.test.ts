import { describe, expect, it } from '@jest/globals';
import type { ToolSpec } from '../../storage/shapes/stored-options.js';
import { deferTools } from './defer-tools.js';

const tool = (name: string): ToolSpec => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object' },
});

describe('deferTools', () => {
  const tools = ['read', 'mcp__band__horn', 'mcp__band__drum'].map(tool);
  const model = { contextWindow: 10_000, tokenScale: 1 };
  const deferredOf = (terms: Partial<Parameters<typeof deferTools>[1]['terms']>, kept = '') =>
    deferTools(tools, {
      model,
      kept: new Set([kept]),
      terms: { toolSearch: 'auto', toolSearchAbove: 10, toolSearchPercent: 5, ...terms },
    }).filter(({ deferred }) => deferred === true).length;

  it('leaves few and short tools as they are', () => {
    expect(deferredOf({})).toBe(0);
  });

  it('defers more tools than the setting says, but those that are not to be', () => {
    expect(deferredOf({ toolSearchAbove: 1 })).toBe(2);
    expect(deferredOf({ toolSearchAbove: 1 }, 'mcp__band__horn')).toBe(0);
    expect(deferredOf({ toolSearchAbove: 0 }, 'mcp__band__horn')).toBe(1);
  });

  it('defers tools that fill more of the window than the setting says', () => {
    expect(deferredOf({ toolSearchPercent: 0 })).toBe(2);
  });

  it('defers none where the search is off', () => {
    expect(deferredOf({ toolSearch: 'off', toolSearchAbove: 0 })).toBe(0);
  });
});
