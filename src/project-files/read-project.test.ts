import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { newFolder } from '../../test/support/suite.js';
import { openProject } from './open-project.js';
import { managedSettings, readMachine } from './read-machine.js';
import { readProject } from './read-project.js';
import type { Finding } from './finding.js';

/** A project with these files. */
function projectWith(files: Readonly<Record<string, string | object>>): string {
  const folder = newFolder();
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}

async function read(
  files: Readonly<Record<string, string | object>>,
  environment: Record<string, string> = {},
) {
  const project = await openProject(projectWith(files));
  return readProject(project, { environment, home: '/home/ann' });
}

/** Findings as `verdict file key`, with what `how` must contain. */
const short = (findings: readonly Finding[]): string[] =>
  findings.map(({ verdict, file, key }) => [verdict, file, key ?? ''].join(' ').trim());

const front = (fields: string, body = 'Do it well.'): string => `---\n${fields}\n---\n\n${body}\n`;

describe('the settings of a project', () => {
  it('are those of both layers: lists together, of others the local one', async () => {
    const { value, findings } = await read({
      '.claude/settings.json': {
        model: 'opus',
        permissions: { allow: ['Bash(npm test)'], deny: ['Read(.env)'], defaultMode: 'plan' },
      },
      '.claude/settings.local.json': { model: 'haiku', permissions: { allow: ['Bash(ls:*)'] } },
    });
    expect(value.settings).toMatchObject({
      allow: ['bash(npm test)', 'bash(ls *)'],
      mode: 'plan',
    });
    expect(value.settings.deny).toContain('read(**/.env)');
    expect(findings.every(({ verdict }) => verdict !== 'refused')).toBe(true);
  });

  it.each([
    ['hooks', { PreToolUse: [] }],
    ['env', { PATH: '/tmp' }],
    ['apiKeyHelper', './key.sh'],
    ['otelHeadersHelper', './headers.sh'],
    ['awsAuthRefresh', 'x'],
    ['enabledPlugins', {}],
    ['noSuchSetting', 1],
    ['model', 'opusplan'],
  ])('with %s have it refused by name', async (key, given) => {
    const { value, findings } = await read({ '.claude/settings.json': { [key]: given } });
    expect(short(findings)).toEqual([`refused .claude/settings.json ${key}`]);
    expect(value.settings).toEqual(expect.objectContaining({ allow: [], ask: [], deny: [] }));
  });

  it.each([
    ['default', 'direct', 'mapped'],
    ['acceptEdits', 'acceptEdits', 'differs'],
    ['plan', 'plan', 'same'],
    ['dontAsk', 'dontAsk', 'same'],
    ['bypassPermissions', undefined, 'refused'],
    ['auto', undefined, 'refused'],
    [7, undefined, 'refused'],
  ])('with the mode %s', async (given, mode, verdict) => {
    const permissions = { defaultMode: given };
    const { value, findings } = await read({ '.claude/settings.json': { permissions } });
    expect([value.settings.mode, findings[0]?.verdict]).toEqual([mode, verdict]);
  });

  it.each(['{', '[]', '{"permissions": []}', '{"permissions": {"allow": "Bash"}}'])(
    'that are %s are refused, and allow nothing',
    async (text) => {
      const { value, findings } = await read({ '.claude/settings.json': text });
      expect(findings.map(({ verdict }) => verdict)).toEqual(['refused']);
      expect(value.settings.allow).toEqual([]);
    },
  );
});

describe('the instructions of a project', () => {
  it('come in their order, each with what it imports', async () => {
    const { value, findings } = await read({
      'CLAUDE.md':
        'First. @docs/style.md and `@not/this.md`.\n\n<!-- for people -->\n\n```\n@nor/this.md\n```',
      'docs/style.md': 'Style. @deeper.md',
      'docs/deeper.md': 'Deeper.',
      'CLAUDE.local.md': 'Mine.',
      '.claude/rules/a.md': front('paths: ["src/**"]', 'For sources.'),
      'AGENTS.md': 'Unread.',
    });
    expect(value.instructions.map(({ file }) => file)).toEqual([
      'CLAUDE.md',
      'docs/style.md',
      'docs/deeper.md',
      '.claude/rules/a.md',
      'CLAUDE.local.md',
    ]);
    const texts = value.instructions.map(({ text }) => text);
    expect(texts[0]).not.toContain('for people');
    expect(texts[3]).toBe('For files that match src/**:\n\nFor sources.');
    expect(findings.filter(({ verdict }) => verdict === 'refused')).toEqual([]);
  });

  it('are those of other products where there is no CLAUDE.md', async () => {
    const textsOf = async (files: Record<string, string>) =>
      (await read(files)).value.instructions.map(({ text }) => text);
    expect(await textsOf({ 'AGENTS.md': 'Notes.' })).toEqual(['Notes.']);
    expect(await textsOf({ 'AGENTS.md': 'Notes.', '.claude/CLAUDE.md': 'Inner.' })).toEqual([
      'Inner.',
    ]);
    const all = { 'CLAUDE.md': 'Outer.', '.claude/CLAUDE.md': 'Inner.', 'AGENTS.md': 'Notes.' };
    expect(await textsOf(all)).toEqual(['Outer.', 'Inner.']);
  });

  it('import nothing from outside of the project, by name or by link', async () => {
    const outside = projectWith({ 'secret.md': 'Secret.' });
    const folder = projectWith({
      'CLAUDE.md': `@~/a.md @../b.md @${outside}/secret.md @link.md @missing.md`,
    });
    symlinkSync(path.join(outside, 'secret.md'), path.join(folder, 'link.md'));
    const { value, findings } = await readProject(await openProject(folder), { environment: {} });
    expect(JSON.stringify(value)).not.toContain('Secret.');
    const refused = findings.filter(({ verdict }) => verdict === 'refused');
    expect(refused.map(({ key, file }) => key ?? file)).toEqual([
      '@~/a.md',
      '@../b.md',
      `@${outside}/secret.md`,
      'link.md',
      '@missing.md',
    ]);
  });

  it('end four levels deep, and know a circle', async () => {
    const chain = Object.fromEntries(
      [1, 2, 3, 4, 5].map((level) => [`l${level}.md`, `Level ${level}. @l${level + 1}.md`]),
    );
    const { value, findings } = await read({ 'CLAUDE.md': 'Top. @l1.md', ...chain });
    expect(value.instructions.map(({ file }) => file).at(-1)).toBe('l4.md');
    expect(short(findings)).toContain('refused l4.md @l5.md');
    const circle = await read({ 'CLAUDE.md': 'A. @b.md', 'b.md': 'B. @CLAUDE.md' });
    expect(circle.value.instructions).toHaveLength(2);
  });

  it('are bounded', async () => {
    const { value, findings } = await read({
      'CLAUDE.md': 'x'.repeat(70_000),
      'CLAUDE.local.md': 'Mine.',
    });
    expect(value.instructions).toEqual([{ file: 'CLAUDE.local.md', text: 'Mine.' }]);
    expect(short(findings)).toContain('refused CLAUDE.md');
  });
});

describe('the agents of a project', () => {
  it('are subagents with the tools, model and limits of ours', async () => {
    const { value } = await read({
      '.claude/agents/reviewer.md': front(
        'name: code-reviewer\ndescription: Reviews.\ntools: Read, Grep, Agent(x), WebSearch\ndisallowedTools: Bash(rm:*)\nmodel: haiku\nmaxTurns: 7\neffort: low\npermissionMode: plan\ncolor: red',
        'You review.',
      ),
    });
    expect(value.agents).toHaveLength(1);
    expect(value.agents[0]).toMatchObject({
      name: 'code-reviewer',
      agent: {
        content: {
          description: 'Reviews.',
          tools: ['read', 'grep', 'web_search'],
          permissions: { deny: ['bash(rm *)'] },
          permissionMode: 'plan',
          model: 'claude-haiku-5-5',
          maxTurns: 7,
          thinking: { effort: 'low' },
          agentType: 2,
          prompt: 'You review.',
          problems: [],
        },
      },
    });
  });

  it.each([
    ['permissionMode: bypassPermissions', 'permissionMode'],
    ['tools: Bash(git:*)', 'tools'],
    ['tools: 7', 'tools'],
    ['mcpServers: [github]', 'mcpServers'],
    ['maxTurns: many', undefined],
  ])('with %s are refused as a whole, as a limit would be lost', async (field, key) => {
    const file = '.claude/agents/a.md';
    const { value, findings } = await read({ [file]: front(`name: a\ndescription: A.\n${field}`) });
    expect(value.agents).toEqual([]);
    expect(short(findings)).toContain(`refused ${file}`);
    if (key !== undefined) expect(short(findings)).toContain(`refused ${file} ${key}`);
  });

  it.each(['hooks: {}', 'background: true', 'isolation: worktree', 'memory: project', 'other: 1'])(
    'with %s are used without it, which is said',
    async (field) => {
      const file = '.claude/agents/a.md';
      const { value, findings } = await read({
        [file]: front(`name: a\ndescription: A.\n${field}`),
      });
      expect(value.agents).toHaveLength(1);
      expect(short(findings)).toContain(`refused ${file} ${field.split(':', 1)[0]}`);
    },
  );
});

describe('the servers of a project', () => {
  it('have their variables filled in, and say what the operator must allow', async () => {
    const { value, findings } = await read(
      {
        '.mcp.json': {
          mcpServers: {
            docs: {
              type: 'http',
              url: 'https://docs.example/mcp',
              headers: { Authorization: 'Bearer ${TOKEN}' },
            },
            files: { command: 'npx', args: ['${ROOT:-/srv}'], env: { A: '${TOKEN}' } },
          },
        },
      },
      { TOKEN: 't-1' },
    );
    expect(value.servers).toEqual({
      docs: {
        type: 'http',
        url: 'https://docs.example/mcp',
        headers: { Authorization: 'Bearer t-1' },
      },
      files: { command: 'npx', args: ['/srv'], env: { A: 't-1' } },
    });
    expect(findings.map(({ how }) => how)).toEqual([
      expect.stringContaining('TURNPIKE_MCP_HOSTS'),
      expect.stringContaining('TURNPIKE_MCP_SESSION_STDIO'),
    ]);
  });

  it('are left out where a variable is not set, or is a key of the server itself', async () => {
    const server = (name: string) => ({ command: 'x', args: [`\${${name}}`] });
    const mcpServers = { a: server('NOT_SET'), b: server('ANTHROPIC_API_KEY') };
    const { value, findings } = await read(
      { '.mcp.json': { mcpServers } },
      { ANTHROPIC_API_KEY: 'k' },
    );
    expect(value.servers).toEqual({});
    expect(findings.map(({ verdict }) => verdict)).toEqual(['refused', 'refused']);
  });

  it('are those that the settings name', async () => {
    const server = { type: 'http', url: 'https://a.example' };
    const mcpServers = { a: server, b: server, c: server };
    const used = async (settings: object) =>
      Object.keys(
        (await read({ '.mcp.json': { mcpServers }, '.claude/settings.json': settings })).value
          .servers,
      );
    expect(await used({ disabledMcpjsonServers: ['b'] })).toEqual(['a', 'c']);
    expect(await used({ enableAllProjectMcpServers: false, enabledMcpjsonServers: ['c'] })).toEqual(
      ['c'],
    );
  });
});

describe('what a plugin and a machine add', () => {
  it('is told for a plugin, of which nothing is used where it lies', async () => {
    const { value, findings } = await read({
      '.claude-plugin/plugin.json': { name: 'tools' },
      'agents/a.md': front('name: a\ndescription: A.'),
      'skills/deploy/SKILL.md': front('description: Deploys.'),
      'hooks/hooks.json': {},
    });
    expect([value.agents, value.prompts]).toEqual([[], []]);
    expect(short(findings)).toEqual([
      'differs .claude-plugin/plugin.json',
      'differs agents/a.md',
      'same skills/deploy/SKILL.md',
      'refused hooks',
    ]);
  });

  it('is told for a machine, of which no server takes it', async () => {
    const home = projectWith({
      '.claude/settings.json': { permissions: { deny: ['Edit(/notes/**)'] }, env: {} },
      '.claude/CLAUDE.md': 'Mine.',
    });
    const managed = path.join(
      projectWith({ 'managed.json': { permissions: { deny: ['Bash'] } } }),
      'managed.json',
    );
    const findings = await readMachine({ home, managed, project: '/work' });
    expect(short(findings)).toEqual([
      `differs ${managed} permissions.deny[0]`,
      `differs ${home}/.claude/settings.json permissions.deny[0]`,
      `refused ${home}/.claude/settings.json env`,
      `refused ${home}/.claude/CLAUDE.md`,
    ]);
    expect(findings[1]?.how).toContain(`edit(${home}/.claude/notes/**)`);
    expect(
      await readMachine({ home: '/none', managed: managedSettings('linux'), project: '/work' }),
    ).toEqual([]);
  });
});
