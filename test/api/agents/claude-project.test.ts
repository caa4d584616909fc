import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import type { ReadFrame } from '../../support/clients/read-stream.js';
import { startServer, useServer } from '../../support/processes/start-server.js';
import { newFolder } from '../../support/suite.js';

const front = (fields: string, body: string): string => `---\n${fields}\n---\n\n${body}\n`;

/** A project as people have it for Claude Code. */
const files: Readonly<Record<string, string | object>> = {
  '.env': 'SECRET=1',
  'src/a.ts': 'a',
  'CLAUDE.md': 'MARK-instructions: use pnpm.',
  '.claude/settings.json': {
    permissions: {
      allow: ['Edit(/src/**)'],
      ask: ['Read(notes.md)'],
      deny: ['Read(.env)', 'Edit(/src/locked/**)'],
    },
  },
  '.claude/skills/deploy/SKILL.md': front('description: Deploys.', 'Deploy with MARK-skill.'),
  '.claude/skills/secret/SKILL.md': front(
    'description: S.\ndisable-model-invocation: true',
    'Say S.',
  ),
  '.claude/commands/fix.md': front(
    'description: Fixes.\nargument-hint: "[issue]"',
    'Fix issue $1 with MARK-command.',
  ),
  '.claude/agents/reviewer.md': front(
    'name: reviewer\ndescription: Reviews code.\ntools: Read',
    'MARK-agent: you review.',
  ),
  '.mcp.json': {
    mcpServers: {
      docs: { type: 'http', url: 'https://docs.example/mcp' },
      local: { command: 'node', args: ['server.mjs'] },
    },
  },
};

function write(folder: string): string {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}

const dataOf = (frames: readonly ReadFrame[], event: string): Record<string, unknown>[] =>
  frames.filter((frame) => frame.event === event).map(({ data }) => data);

describe('a session in a project of Claude Code', () => {
  const trusted = write(newFolder());
  const other = write(newFolder());
  const root = instructionRootWith({ HELPER: ['tools: [read, edit, write, glob]'] });
  const server = useServer({
    environment: {
      TURNPIKE_INSTRUCTION_ROOT: root,
      TURNPIKE_PROJECT_FILES: 'claude',
      TURNPIKE_TRUSTED_PROJECTS: trusted,
      TURNPIKE_ENABLE_SUBAGENTS: 'true',
      TURNPIKE_MCP_HOSTS: 'docs.example',
    },
  });
  const create = async (projectRoot: string, more: object = {}) => {
    const { status, body } = await server.client.post('/api/harness/session/create', {
      projectRoot,
      persona: 'HELPER',
      ...more,
    });
    return { status, body, session: body['session'] as Record<string, unknown> };
  };
  const open = async (projectRoot: string, more: object = {}): Promise<string> =>
    String((await create(projectRoot, more)).session['sessionId']);
  const run = async (sessionId: string, message: string, opts: object = {}) =>
    (await server.client.turn(sessionId, message, { opts })).all();
  const call = (tool: string, input: object): string => `[[tool=${tool} ${JSON.stringify(input)}]]`;

  it('has the rules of its settings, those that allow in a folder that the operator trusts', async () => {
    const [own, foreign] = await Promise.all([create(trusted), create(other)]);
    const rules = own.session['permissions'] as Record<string, string[]>;
    expect(rules['allow']).toEqual(['edit(src/**)', 'write(src/**)']);
    expect(rules['deny']).toEqual(expect.arrayContaining(['read(**/.env)', 'edit(src/locked/**)']));
    expect(own.session['projectFiles']).toBe('claude');
    expect(foreign.session['permissions']).not.toHaveProperty('allow');
    expect(foreign.session['permissions']).toMatchObject({ deny: rules['deny'] });
  });

  it.each<[wire: string, path: string, body: object]>([
    ['ai-sdk', '/api/chat', { id: 'p', projectRoot: trusted }],
    ['ag-ui', '/agent/HELPER/ag-ui', { forwardedProps: { turnpike: { projectRoot: trusted } } }],
  ])('has them on the wire %s, too', async (origin, url, more) => {
    const text = `Look. ${call('read', { file_path: '.env' })}`;
    const body =
      origin === 'ai-sdk'
        ? { messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text }] }] }
        : {
            threadId: 'p',
            runId: 'r',
            state: {},
            tools: [],
            context: [],
            messages: [{ id: 'm', role: 'user', content: text }],
          };
    const response = await fetch(`${server.url}${url}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, ...more }),
    });
    expect(await response.text()).toMatch(/denied/i);
    expect(JSON.stringify(server.modelRequests.at(-1))).toContain('MARK-instructions: use pnpm.');
  });

  it('runs its calls by them', async () => {
    const sessionId = await open(trusted);
    const denied = await run(sessionId, call('read', { file_path: '.env' }));
    expect(dataOf(denied, 'tool:result')).toMatchObject([{ status: 'denied' }]);
    const edit = { file_path: 'src/a.ts', old_string: 'a', new_string: 'b' };
    const edited = await run(sessionId, call('edit', edit));
    expect(dataOf(edited, 'tool:result')).toMatchObject([{ status: 'success' }]);
    expect(dataOf(edited, 'approval:request')).toEqual([]);
    const locked = await run(
      sessionId,
      call('write', { file_path: 'src/locked/b.ts', content: 'b' }),
    );
    expect(dataOf(locked, 'tool:result')).toMatchObject([{ status: 'denied' }]);
  });

  it('asks before it writes its own terms, also where edits run unasked', async () => {
    const sessionId = await open(trusted, { mode: 'acceptEdits' });
    for (const file of ['.claude/settings.json', '.mcp.json', '.claude/skills/x/SKILL.md']) {
      const frames = await run(sessionId, call('write', { file_path: file, content: '{}' }), {
        mode: 'dontAsk',
      });
      expect([file, dataOf(frames, 'tool:result')]).toMatchObject([file, [{ status: 'denied' }]]);
    }
    const free = await run(sessionId, call('write', { file_path: 'free.txt', content: 'x' }));
    expect(dataOf(free, 'tool:result')).toMatchObject([{ status: 'success' }]);
  });

  it('begins with the instructions, once', async () => {
    const sessionId = await open(trusted);
    await run(sessionId, 'Hello');
    const sent = JSON.stringify(server.modelRequests.at(-1));
    expect(sent.split('MARK-instructions').length - 1).toBe(1);
    await run(sessionId, 'And now?');
    expect(JSON.stringify(server.modelRequests.at(-1)).split('MARK-instructions').length - 1).toBe(
      1,
    );
  });

  it('has its skills, but those that people alone may call', async () => {
    const sessionId = await open(trusted);
    const { body } = await server.client.get(`/api/harness/sessions/${sessionId}/skills`);
    expect(body['skills']).toMatchObject([{ name: 'deploy', level: 'project' }]);
    const frames = await run(sessionId, call('load_skill', { name: 'deploy' }));
    expect(dataOf(frames, 'tool:result')[0]?.['output']).toContain('MARK-skill');
  });

  it('has its commands as prompts', async () => {
    const sessionId = await open(trusted);
    const { body } = await server.client.get(`/api/harness/sessions/${sessionId}/prompts`);
    const prompts = body['prompts'] as Record<string, unknown>[];
    expect(prompts.map(({ server: of, name }) => [of, name])).toEqual([
      ['project', 'deploy'],
      ['project', 'secret'],
      ['project', 'fix'],
    ]);
    const prompt = { server: 'project', name: 'fix', arguments: { arguments: '17 now' } };
    const frames = await run(sessionId, 'Please.', { prompt });
    expect(dataOf(frames, 'system:notice')).toContainEqual(
      expect.objectContaining({ kind: 'project-prompt' }),
    );
    expect(JSON.stringify(server.modelRequests.at(-1))).toContain(
      'Fix issue 17 with MARK-command.',
    );
    const failed = await run(sessionId, 'Please.', { prompt: { server: 'project', name: 'none' } });
    expect(dataOf(failed, 'turn:error')).toMatchObject([
      {
        message:
          'The command none of the project cannot be used: the project has deploy, secret, fix.',
      },
    ]);
  });

  it('delegates to its agents, within the gates of the server', async () => {
    const sessionId = await open(trusted);
    const subagentGovernance = {
      contextSealed: true,
      pipelineRunApproved: true,
      approvalRef: 'CHG-1',
    };
    const frames = await run(sessionId, call('task', { agent: 'reviewer', prompt: 'Review it.' }), {
      subagentGovernance,
      tools: ['task', 'read'],
    });
    expect(dataOf(frames, 'subagent:start')).toMatchObject([{ agent: 'reviewer' }]);
    expect(dataOf(frames, 'tool:result')).toMatchObject([{ status: 'success' }]);
    const asked = server.modelRequests.map((one) => JSON.stringify(one));
    expect(asked.some((text) => text.includes('MARK-agent: you review.'))).toBe(true);
    const without = await run(sessionId, call('task', { agent: 'reviewer', prompt: 'Go.' }));
    expect(dataOf(without, 'subagent:start')).toEqual([]);
  });

  it('has its servers, as far as the operator lets sessions have any', async () => {
    const own = await run(await open(trusted), 'Hello');
    const notices = dataOf(own, 'system:notice').filter(({ kind }) => kind === 'mcp-problem');
    const texts = notices.map(({ text }) => String(text)).join('\n');
    expect(texts).toContain('MCP server docs: ');
    expect(texts).toContain('TURNPIKE_MCP_SESSION_STDIO');
    const foreign = await run(await open(other), 'Hello');
    expect(JSON.stringify(dataOf(foreign, 'system:notice'))).not.toContain('MCP server local');
  });

  it('says what becomes of each file', async () => {
    const sessionId = await open(other);
    const { body } = await server.client.get(`/api/harness/sessions/${sessionId}/project-files`);
    expect(body).toMatchObject({ files: 'claude', isTrusted: false });
    expect(body['findings']).toContainEqual(
      expect.objectContaining({ file: '.claude/commands/fix.md', verdict: 'mapped' }),
    );
  });

  it('may be without them, and then nothing of the project counts', async () => {
    const { session } = await create(trusted, { projectFiles: 'none' });
    expect(session).not.toHaveProperty('projectFiles');
    expect(session).not.toHaveProperty('permissions');
    await run(String(session['sessionId']), 'Hello');
    expect(JSON.stringify(server.modelRequests.at(-1))).not.toContain('MARK-instructions: use');
  });

  it('is refused where the server takes no files of projects', async () => {
    const plain = await startServer();
    try {
      const { status, body } = await plain.client.post('/api/harness/session/create', {
        projectRoot: trusted,
        projectFiles: 'claude',
      });
      expect([status, body['error']]).toMatchObject([
        400,
        { message: expect.stringContaining('TURNPIKE_PROJECT_FILES') },
      ]);
    } finally {
      await plain.close();
    }
  });
});
