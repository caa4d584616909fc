import { describe, expect, it } from '@jest/globals';
import { planQuery } from './plan-query.js';
import type { Options } from './query-options.js';
import { createSdkMcpServer, tool } from './sdk-tools.js';

const nothing = async () => ({ content: [] });
const own = {
  shop: createSdkMcpServer({ name: 'shop', tools: [tool('order', 'An order.', {}, nothing)] }),
};
const permissionsOf = (options: Options): unknown => planQuery(options).session.permissions;

describe('the plan of a query', () => {
  it('has the tools of a query that names none, and no end of calls but a far one', () => {
    const { turn, session, mode } = planQuery({});
    expect(turn).toEqual({
      tools: ['read', 'write', 'edit', 'glob', 'grep', 'bash', 'todo_write'],
      maxTurns: 501,
      onDisconnect: 'continue',
    });
    expect([session, mode]).toEqual([{}, 'default']);
  });

  it.each<[Options, string[]]>([
    [{ tools: [] }, []],
    [{ tools: ['Read', 'Bash'] }, ['read', 'bash']],
    [{ tools: ['Read', 'Bash'], disallowedTools: ['Bash'] }, ['read']],
    [{ tools: ['Read', 'Bash'], disallowedTools: ['Bash(rm:*)'] }, ['read', 'bash']],
    [{ tools: ['order_status'] }, ['order_status']],
    [{ tools: ['Read'], allowedTools: ['Write', 'WebSearch'] }, ['read']],
  ])('offers what %j says: %j', (options, tools) => {
    expect(planQuery(options).turn.tools).toEqual(tools);
  });

  it('asks for what is allowed beside the standard tools', () => {
    const { tools } = planQuery({
      allowedTools: ['WebSearch', 'Bash(ls:*)', 'mcp__a', 'KillShell'],
    });
    expect(tools.slice(-2)).toEqual(['todo_write', 'web_search']);
  });

  it('gives the session the rules, but those about tools of the program', () => {
    expect(
      permissionsOf({
        allowedTools: ['Read', 'Bash(ls:*)', 'mcp__shop__order', 'mcp__shop', 'mcp__web__get'],
        disallowedTools: ['Bash(rm:*)'],
        settings: { permissions: { allow: ['Read'], ask: ['Write'], deny: ['mcp__shop__order'] } },
        mcpServers: own,
      }),
    ).toEqual({
      allow: ['read', 'bash(ls *)', 'mcp__web__get'],
      ask: ['write'],
      deny: ['bash(rm *)'],
    });
  });

  it('has the server ask for hooks about the tools that they are for', () => {
    const hooks = { PreToolUse: [{ matcher: 'Write|Bash', hooks: [() => ({})] }] };
    const web = { type: 'http', url: 'https://mcp.example.com' } as const;
    expect(permissionsOf({ hooks, mcpServers: { web } })).toEqual({ ask: ['write', 'bash'] });
    for (const matcher of ['mcp__.*', 'mcp__web__get']) {
      const ofMcp = { PreToolUse: [{ matcher, hooks: [() => ({})] }] };
      expect(permissionsOf({ hooks: ofMcp })).toEqual({ ask: ['mcp__*'] });
    }
    expect(permissionsOf({ hooks: { PreToolUse: [{ hooks: [() => ({})] }] }, tools: [] })).toEqual({
      ask: ['load_skill', 'mcp__*'],
    });
    expect(permissionsOf({ hooks: { PostToolUse: hooks.PreToolUse } })).toBeUndefined();
  });

  it('allows the tools of a query that bypasses questions, and no rule of the provider’s', () => {
    const options = {
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
    } as const;
    expect(permissionsOf({ ...options, tools: ['Read', 'Bash', 'WebSearch'] })).toEqual({
      allow: ['read', 'bash', 'mcp__*'],
    });
  });

  it('offers all tools of its MCP servers, and those of the operator’s that are allowed', () => {
    const web = { type: 'http', url: 'https://mcp.example.com' } as const;
    const allowedTools = ['mcp__web', 'mcp__docs__find', 'mcp__wiki__*', 'mcp__shop', 'mcp__*'];
    const mcpServers = { ...own, web };
    expect(planQuery({ tools: ['Read'], mcpServers, allowedTools }).turn.tools).toEqual([
      'read',
      'mcp__web',
      'mcp__docs__find',
      'mcp__wiki',
    ]);
  });

  it('offers a tool of the program unless a rule denies it as a whole', () => {
    const names = (options: Options): unknown =>
      planQuery({ mcpServers: own, ...options }).turn.clientTools?.map(({ name }) => name);
    expect(names({})).toEqual(['mcp__shop__order']);
    expect(names({ disallowedTools: ['mcp__shop'] })).toBeUndefined();
    expect(planQuery({ mcpServers: own }).session.mcpServers).toBeUndefined();
  });

  it.each<[Options, unknown]>([
    [{ thinking: { type: 'disabled' } }, false],
    [{ thinking: { type: 'adaptive' } }, true],
    [{ effort: 'high' }, { effort: 'high' }],
    [
      { thinking: { type: 'enabled', display: 'omitted' }, effort: 'low' },
      { effort: 'low', display: 'omitted' },
    ],
  ])('thinks as %j says', (options, thinking) => {
    expect(planQuery(options).turn.thinking).toEqual(thinking);
  });

  it.each<[Options['systemPrompt'], string | undefined]>([
    ['Be brief.', 'Be brief.'],
    [['Be brief.', 'Be kind.'], 'Be brief.\n\nBe kind.'],
    [{ type: 'preset', preset: 'claude_code', append: 'Be kind.' }, 'Be kind.'],
    [{ type: 'preset', preset: 'claude_code' }, undefined],
  ])('says %j to the model', (systemPrompt, instructions) => {
    expect(planQuery(systemPrompt === undefined ? {} : { systemPrompt }).instructions).toBe(
      instructions,
    );
  });
});
