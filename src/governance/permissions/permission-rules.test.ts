import { describe, expect, it } from '@jest/globals';
import { parsePermissionRule } from './permission-rules.js';

describe('parsePermissionRule', () => {
  it.each([
    ['read', { tool: 'read' }],
    [' read ', { tool: 'read' }],
    ['mcp__github__*', { tool: 'mcp__github__*' }],
    ['*', { tool: '*' }],
    ['bash(git status*)', { tool: 'bash', pattern: 'git status*' }],
    ['bash(echo (a) \n b)', { tool: 'bash', pattern: 'echo (a) \n b' }],
    ['write(docs/**)', { tool: 'write', pattern: 'docs/**' }],
  ])('reads %j', (text, rule) => {
    expect(parsePermissionRule(text)).toEqual({ rule });
  });

  it.each([
    ['', 'must begin with the name of a tool, for example read, write(docs/**)'],
    ['(x)', 'must begin with the name of a tool'],
    ['bash(x', 'must be a tool, or a tool and a pattern in parentheses, for example read'],
    ['bash x', 'must be a tool, or a tool and a pattern'],
    ['bash (x)', 'must be a tool, or a tool and a pattern'],
    ['bash(x) y', 'must be a tool, or a tool and a pattern'],
    ['rëad', 'must be a tool, or a tool and a pattern'],
    ['bash()', 'has an empty pattern: write bash for every call'],
    ['bash(  )', 'has an empty pattern'],
    ['mcp__a__*(x)', 'names tools with *, which takes no pattern: write mcp__a__* for every call'],
  ])('refuses %j', (text, fault) => {
    expect(parsePermissionRule(text)).toEqual({ fault: expect.stringContaining(fault) });
  });
});
