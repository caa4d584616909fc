import { describe, expect, it } from '@jest/globals';
import {
  argumentOf,
  effectOf,
  isMissing,
  standardTools,
  toListedName,
  toOurInput,
  toOurName,
  toTheirInput,
  toTheirName,
} from './tool-names.js';

describe('names of tools', () => {
  it.each([
    ['Read', 'read'],
    ['Write', 'write'],
    ['Edit', 'edit'],
    ['Glob', 'glob'],
    ['Grep', 'grep'],
    ['Bash', 'bash'],
    ['TodoWrite', 'todo_write'],
    ['Agent', 'task'],
    ['Skill', 'load_skill'],
    ['WebSearch', 'web_search'],
    ['WebFetch', 'web_fetch'],
    ['mcp__a__b', 'mcp__a__b'],
    ['order_status', 'order_status'],
  ])('are those of programs, and back: %s', (theirs, ours) => {
    expect([toOurName(theirs), toTheirName(ours)]).toEqual([ours, theirs]);
  });

  it('have one alias, by which the list of a turn names it', () => {
    expect([toOurName('Task'), toListedName('task'), toListedName('read')]).toEqual([
      'task',
      'Task',
      'Read',
    ]);
  });

  it('say what a call may do, of an unknown one anything', () => {
    expect(['read', 'edit', 'bash', 'mcp__a__b'].map(effectOf)).toEqual([
      'read',
      'edit',
      'command',
      'command',
    ]);
    expect(standardTools.filter(isMissing)).toEqual([]);
    expect(isMissing('NotebookEdit')).toBe(true);
  });
});

describe('inputs of tools', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['bash', { command: 'ls', timeout_ms: 5 }, { command: 'ls', timeout: 5 }],
    ['read', { file_path: 'a', view_range: [2, 4] }, { file_path: 'a', offset: 2, limit: 3 }],
    ['read', { file_path: 'a', view_range: [2, -1] }, { file_path: 'a', offset: 2 }],
    ['read', { file_path: 'a' }, { file_path: 'a' }],
    ['task', { agent: 'a', prompt: 'b' }, { subagent_type: 'a', prompt: 'b' }],
    ['load_skill', { name: 'a' }, { skill: 'a' }],
    ['edit', { file_path: 'a', replace_all: true }, { file_path: 'a', replace_all: true }],
    ['mcp__a__b', { timeout: 1 }, { timeout: 1 }],
  ])('have the fields of programs, and back: %s', (name, ours, theirs) => {
    expect(toTheirInput(name, ours)).toEqual(theirs);
    expect(toOurInput(name, theirs)).toEqual(ours);
  });

  it('have the default that programs expect of an edit', () => {
    expect(toTheirInput('edit', { file_path: 'a' })).toEqual({
      file_path: 'a',
      replace_all: false,
    });
  });

  it('leave out what only describes, and refuse what would be dropped', () => {
    const described = { command: 'ls', description: 'Lists.', run_in_background: false };
    expect(toOurInput('bash', described)).toEqual({ command: 'ls' });
    expect(() => toOurInput('bash', { command: 'ls', run_in_background: true })).toThrow(
      'run_in_background of Bash',
    );
    expect(toOurInput('read', { file_path: 'a', limit: 3 })).toEqual({
      file_path: 'a',
      view_range: [1, 3],
    });
  });

  it('show rules the argument that patterns are about', () => {
    const of = (name: string, input: unknown) => argumentOf(name, input, '/work');
    expect(of('bash', { command: 'ls' })).toEqual({ kind: 'command', texts: ['ls'], roots: [] });
    expect(of('task', { agent: 'a' })).toEqual({ kind: 'text', texts: ['a'], roots: [] });
    const roots = ['/work'];
    expect(of('read', { file_path: 'a' })).toEqual({ kind: 'path', texts: ['/work/a'], roots });
    expect(of('write', { file_path: '/b' })).toEqual({ kind: 'path', texts: ['/b'], roots });
    expect(of('grep', { pattern: 'x' })).toEqual({ kind: 'path', texts: ['/work'], roots });
    expect([of('write', {}), of('bash', 'ls'), of('todo_write', {})]).toEqual(
      Array(3).fill(undefined),
    );
  });
});
