import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import { useServer } from '../../support/processes/start-server.js';
import { newStore } from '../../support/database/test-store.js';
import { newFolder } from '../../support/suite.js';

const SECRET = 'planted-in-the-servers-own-folder-77c2';
const call = (name: string, input: object): string => `[[tool=${name} ${JSON.stringify(input)}]]`;
const tools = ['read', 'write', 'edit', 'glob', 'grep'];

describe("the server's own folders", () => {
  /** The folder above all of the server's own. */
  const at = (...parts: string[]): string => path.join(above, ...parts);
  const instructions = instructionRootWith({});
  const above = newFolder();
  const server = useServer(async () => {
    for (const name of ['blobs', 'keys', 'project']) {
      await mkdir(at(name));
      await writeFile(at(name, 'a.txt'), name === 'project' ? 'plain' : SECRET);
    }
    await writeFile(at('rules.yaml'), 'deny: []\n');
    await symlink(instructions, at('instructions'));
    await symlink('../blobs', at('project', 'link'));
    await symlink(path.join(instructions, 'agents'), at('project', 'agents'));
    return {
      store: await newStore(above),
      environment: {
        TURNPIKE_INSTRUCTION_ROOT: at('instructions'),
        TURNPIKE_BLOB_DIR: at('blobs'),
        TURNPIKE_SANDBOX_HIDE: at('keys'),
        TURNPIKE_PERMISSIONS_FILE: at('rules.yaml'),
      },
    };
  });

  async function run(name: string, input: object, session: object = {}) {
    const rest = { mode: 'acceptEdits', permissions: { allow: ['*'] }, ...session };
    const sessionId = await server.client.createSession(above, rest);
    const stream = await server.client.turn(sessionId, call(name, input), { opts: { tools } });
    const frames = await stream.all();
    return frames.find(({ event }) => event === 'tool:result')?.data ?? {};
  }

  it.each<[string, () => string]>([
    ['/', () => '/'],
    ['/proc', () => '/proc'],
    ['/proc/self', () => '/proc/self'],
    ['/sys', () => '/sys'],
    ['/dev/shm', () => '/dev/shm'],
    ['the folder of files', () => at('blobs')],
    ['a link to it', () => at('project', 'link')],
    ['a folder of the instruction root', () => at('instructions', 'agents')],
    ['a link to it, of another name', () => at('project', 'agents')],
  ])('are no project root: %s', async (_what, projectRoot) => {
    const body = { projectRoot: projectRoot() };
    const made = await server.client.post('/api/harness/session/create', body);
    expect([made.status, made.body]).toMatchObject([
      409,
      { error: { type: 'WORKING_ROOT_CONFLICT', message: expect.stringContaining('Choose') } },
    ]);
  });

  it.each(['blobs/a.txt', 'keys/a.txt', 'project/link/a.txt'])(
    'have no attachments, wherever the project begins: %s',
    async (file) => {
      const { client } = server;
      const sessionId = await client.createSession(above);
      const answer = await client.post('/api/harness/turn', {
        sessionId,
        message: '',
        attachments: [at(file)],
      });
      expect([answer.status, answer.body['error']]).toMatchObject([
        400,
        { type: 'ATTACHMENT_FAILURE' },
      ]);
      expect(JSON.stringify(answer.body)).toContain('inside');
      const plain = await client.turn(sessionId, 'Look', {
        attachments: [at('project', 'a.txt')],
      });
      expect((await plain.all()).at(-1)?.data).toEqual({ exitCode: 0 });
    },
  );

  it.each(['blobs/a.txt', 'keys/a.txt', 'project/link/a.txt', 'project/../blobs/a.txt'])(
    'are not reached from above, whatever is allowed: %s',
    async (file_path) => {
      for (const [name, input] of [
        ['read', { file_path }],
        ['write', { file_path, content: 'x' }],
        ['edit', { file_path, old_string: 'planted', new_string: 'x' }],
        ['grep', { pattern: '.', path: file_path }],
        ['glob', { pattern: '*', path: path.dirname(file_path) }],
      ] as const) {
        const { status, output } = await run(name, input);
        expect([name, status]).toEqual([name, 'denied']);
        expect(output).toContain('permission denied: this path belongs to the server');
        expect(output).not.toContain(SECRET);
      }
      expect(await readFile(at(file_path), 'utf8')).toBe(SECRET);
    },
  );

  it('are left out of searches that begin above', async () => {
    const found = await run('grep', { pattern: 'planted|plain' });
    expect(String(found['output']).trim()).toBe('project/a.txt:1:plain');
    expect((await run('glob', { pattern: '**/a.txt' }))['output']).toBe('project/a.txt');
  });

  it.each(['instructions/agents/AGENT_MINE.md', 'project/agents/AGENT_MINE.md', 'rules.yaml'])(
    'that say what may be done are not written: %s',
    async (file_path) => {
      const { status, output } = await run('write', { file_path, content: 'allow: [bash]' });
      expect([status, output]).toEqual(['denied', expect.stringContaining('tools only read it')]);
      expect(existsSync(at('instructions/agents/AGENT_MINE.md'))).toBe(false);
      expect(await readFile(at('rules.yaml'), 'utf8')).toBe('deny: []\n');
    },
  );

  it('that say what may be done are read', async () => {
    expect(await run('read', { file_path: 'rules.yaml' })).toMatchObject({ ok: true });
  });

  it('of data are not reached, whether or not there are any', async () => {
    const data = path.resolve(server.config.dataDir);
    const session = { projectRoot: path.dirname(data) };
    const file_path = `${path.basename(data)}/planted.txt`;
    const written = await run('write', { file_path, content: 'x' }, session);
    const found = await run('read', { file_path }, session);
    expect([written['status'], found['status']]).toEqual(['denied', 'denied']);
    expect(existsSync(path.join(data, 'planted.txt'))).toBe(false);
  });
});
