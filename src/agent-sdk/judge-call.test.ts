import { describe, expect, it } from '@jest/globals';
import type { PermissionMode } from './sdk-messages.js';
import { isAskedForHooks, judgeCall } from './judge-call.js';
import { modeOf, serverMode } from './server-mode.js';

const tools = ['read', 'write', 'bash'];
const judge = (name: string, input: object, ownRules: object, mode: PermissionMode) =>
  judgeCall({ name, input }, { plan: { ownRules, tools }, mode, cwd: '/work' }).verdict;

describe('what a query says about a call', () => {
  it.each<[string, object, object, PermissionMode, string]>([
    ['read', { file_path: 'a' }, {}, 'default', 'allow'],
    ['write', { file_path: 'a' }, {}, 'default', 'ask'],
    ['write', { file_path: 'a' }, {}, 'acceptEdits', 'allow'],
    ['write', { file_path: 'a' }, { allow: ['write'] }, 'plan', 'deny'],
    ['write', { file_path: 'a' }, {}, 'dontAsk', 'deny'],
    ['write', { file_path: 'a' }, { deny: ['write'], allow: ['write'] }, 'default', 'deny'],
    ['write', { file_path: 'a' }, { ask: ['write'], allow: ['write'] }, 'acceptEdits', 'ask'],
    ['bash', { command: 'ls -l' }, { allow: ['bash(ls *)'] }, 'default', 'allow'],
    ['bash', { command: 'ls -l; rm x' }, { allow: ['bash(ls *)'] }, 'default', 'ask'],
    ['bash', { command: 'ls; rm x' }, { deny: ['bash(rm *)'] }, 'bypassPermissions', 'deny'],
    ['bash', { command: 'ls; rm x' }, { ask: ['bash(rm *)'] }, 'bypassPermissions', 'ask'],
    ['bash', { command: 'make' }, {}, 'bypassPermissions', 'allow'],
    ['write', { file_path: 'src/a' }, { allow: ['write(src/**)'] }, 'default', 'allow'],
    ['write', { file_path: '/work/lib/a' }, { allow: ['write(src/**)'] }, 'default', 'ask'],
    ['grep', { pattern: 'x' }, { deny: ['read'] }, 'default', 'deny'],
    ['mcp__a__b', {}, {}, 'default', 'ask'],
    ['mcp__a__b', {}, { allow: ['mcp__a__*'] }, 'default', 'allow'],
  ])('%s %j by %j in %s: %s', (name, input, rules, mode, verdict) => {
    expect(judge(name, input, rules, mode)).toBe(verdict);
  });

  it('is asked in a mode that asks, where hooks are to see a call first', () => {
    expect([serverMode('dontAsk', false), serverMode('dontAsk', true)]).toEqual([
      'dontAsk',
      'direct',
    ]);
    expect([
      modeOf('direct', 'bypassPermissions', false),
      modeOf('direct', 'dontAsk', true),
      modeOf('direct', 'plan', false),
      modeOf('acceptEdits', 'default', false),
    ]).toEqual(['bypassPermissions', 'dontAsk', 'default', 'acceptEdits']);
  });

  it('answers what the server asks for hooks, and nothing that somebody else asks', () => {
    const asked = (reason: string): boolean =>
      isAskedForHooks({ name: 'write', reason }, ['write', 'read']);
    expect(asked('the session asks before write')).toBe(true);
    expect(asked('write needs an approval in mode direct')).toBe(true);
    expect(asked("the server's policy asks before write")).toBe(false);
    expect(asked('the session asks before write(docs/**)')).toBe(false);
    expect(asked('the tool hook asks before write')).toBe(false);
  });
});
