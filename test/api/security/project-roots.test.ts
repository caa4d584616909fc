import { randomUUID } from 'node:crypto';
import {
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyedClient, makeKey, type KeyedAnswer } from '../../support/clients/keyed-client.js';
import { startServer, type TestServer } from '../../support/processes/start-server.js';

const SECRET = 'planted-where-another-works-51d0';
const call = (name: string, input: object): string => `[[tool=${name} ${JSON.stringify(input)}]]`;
const closed = { type: 'WORKING_ROOT_CONFLICT' };

/** The folder is not in `/tmp`: the sandbox has a `/tmp` of its own. */
const newFolder = async (): Promise<string> =>
  realpath(await mkdtemp('/var/tmp/turnpike-project-roots-'));

/** A turn on each wire that names no folder. */
const wires: [string, string, () => object][] = [
  ['the agents', '/agent/WORKING_ITEMS/chat/stream', () => ({ message: 'Hello' })],
  [
    'AG-UI',
    '/agent/WORKING_ITEMS/ag-ui',
    () => ({
      threadId: randomUUID(),
      runId: randomUUID(),
      state: {},
      messages: [{ id: 'm', role: 'user', content: 'Hello' }],
      tools: [],
      context: [],
      forwardedProps: {},
    }),
  ],
  [
    'the AI SDK',
    '/api/chat',
    () => ({
      id: randomUUID(),
      messages: [{ role: 'user', id: 'm', parts: [{ type: 'text', text: 'Hello' }] }],
    }),
  ],
  ['the oracle', '/api/oracle/stream', () => ({ question: 'Hello' })],
];

/** The root of the session that was used last. */
async function rootOf(client: KeyedClient, answer: KeyedAnswer): Promise<unknown> {
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
  const { body } = await client.send('GET', '/api/harness/sessions?limit=1');
  return (body['sessions'] as Record<string, unknown>[])[0]?.['projectRoot'];
}

describe('project roots of a server with keys', () => {
  let server: TestServer;
  let folder: string;
  let ann: KeyedClient;
  let bob: KeyedClient;
  let makeClient: (more: object) => Promise<KeyedClient & { id: string }>;
  const homeBefore = process.env['HOME'];
  const at = (...parts: string[]): string => path.join(folder, ...parts);
  beforeAll(async () => {
    folder = await newFolder();
    for (const name of ['shared', 'home/.ssh', 'home/work', 'ours', 'projects/ann/work']) {
      await mkdir(at(name), { recursive: true });
    }
    for (const name of ['projects/bob', 'bobs-own', 'elsewhere']) {
      await mkdir(at(name), { recursive: true });
      await writeFile(at(name, 'a.txt'), SECRET);
    }
    await writeFile(at('home/.ssh/id_ed25519'), SECRET);
    await writeFile(at('home/work/a.txt'), 'plain\n');
    await writeFile(at('projects/ann/work/a.txt'), 'plain\n');
    await symlink('../../bob', at('projects/ann/work/to-bob'));
    process.env['HOME'] = at('home');
    server = await startServer({
      environment: {
        TURNPIKE_PROJECTS_DIR: at('projects'),
        TURNPIKE_PROJECT_ROOTS: [at('shared'), at('home')].join(path.delimiter),
      },
    });
    const { db, clock } = server;
    makeClient = async (more) => {
      const { id, secret } = await makeKey({ db, clock }, { name: 'test', ...more });
      return Object.assign(new KeyedClient(server.url, secret), { id });
    };
    const scopes = ['turns', 'approvals'];
    await makeClient({ principal: 'root', scopes: ['admin'] });
    bob = await makeClient({ principal: 'bob', scopes, projectRoots: [at('bobs-own')] });
    ann = await makeClient({ principal: 'ann', scopes });
  });
  afterAll(async () => {
    process.env['HOME'] = homeBefore;
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const create = (client: KeyedClient, projectRoot: string, more: object = {}) =>
    client.send('POST', '/api/harness/session/create', { projectRoot, ...more });
  const idOf = ({ status, body }: KeyedAnswer): string => {
    expect([status, body]).toMatchObject([200, {}]);
    return String((body['session'] as Record<string, unknown>)['sessionId']);
  };
  async function run(client: KeyedClient, sessionId: string, [name, input]: [string, object]) {
    const tools = ['read', 'write', 'edit', 'glob', 'grep', 'bash'];
    const body = { sessionId, message: call(name, input), opts: { tools } };
    const { text } = await client.send('POST', '/api/harness/turn', body);
    const block = text.split('\n\n').find((one) => one.includes('event: tool:result')) ?? '';
    const data = block.split('\n').find((line) => line.startsWith('data: ')) ?? 'data: {}';
    return JSON.parse(data.slice('data: '.length)) as Record<string, unknown>;
  }
  const free = { mode: 'acceptEdits', permissions: { allow: ['*'] } };

  it.each(wires)(
    'are the principal’s own where none is named, on the wire of %s',
    async (...wire) => {
      const [, url, body] = wire;
      expect(await rootOf(ann, await ann.send('POST', url, body()))).toBe(at('projects/ann'));
      expect(await rootOf(bob, await bob.send('POST', url, body()))).toBe(at('projects/bob'));
    },
  );

  it.each([
    'projects/bob',
    'projects/ann/work/to-bob',
    'projects/ann/../bob',
    'projects',
    'bobs-own',
    'elsewhere',
    'elsewhere/none',
    'home/.ssh',
    '../../../etc',
  ])('are none of anybody else’s, on any wire: %s', async (folderName) => {
    const projectRoot = path.join(folder, folderName);
    const list = `/api/harness/session/list?projectRoot=${encodeURIComponent(projectRoot)}`;
    const agUi = { ...wires[1]?.[2](), forwardedProps: { turnpike: { projectRoot } } };
    const chat = { ...wires[2]?.[2](), projectRoot };
    for (const answer of [
      await create(ann, projectRoot),
      await ann.send('GET', list),
      await ann.send('POST', '/agent/WORKING_ITEMS/ag-ui', agUi),
      await ann.send('POST', '/api/chat', chat),
    ]) {
      expect(answer.status).toBe(409);
      // Errors have each wire's own form.
      expect(answer.text).toMatch(/working[-_]root[-_]conflict/i);
      expect(answer.text).toContain(at('projects/ann'));
    }
  });

  it('are what is named for all, and for the key alone', async () => {
    for (const root of ['shared', 'projects/ann', 'projects/ann/work', 'home/work']) {
      expect((await create(ann, at(root))).status).toBe(200);
    }
    expect((await create(bob, at('bobs-own'))).status).toBe(200);
    const other = await makeClient({ principal: 'ann', projectRoots: [at('ours')] });
    expect((await create(other, at('ours'))).status).toBe(200);
    expect((await create(ann, at('ours'))).status).toBe(409);
  });

  it('that are closed leave a session readable, and its turns refused', async () => {
    const other = await makeClient({ principal: 'ann', projectRoots: [at('ours')] });
    const sessionId = idOf(await create(other, at('ours')));
    const ran = await run(other, sessionId, ['glob', { pattern: '*' }]);
    expect(ran['ok']).toBe(true);
    for (const refused of [
      await ann.send('POST', '/api/harness/turn', { sessionId, message: 'Hello' }),
      await ann.send('POST', '/api/harness/session/boot', { sessionId }),
    ]) {
      expect([refused.status, refused.body['error']]).toMatchObject([409, closed]);
    }
    expect((await ann.send('GET', `/api/harness/session/${sessionId}`)).status).toBe(200);
    const listed = await ann.send('GET', '/api/harness/sessions');
    expect(listed.text).toContain(sessionId);
  });

  it('lead no tool to a folder of another, nor to keys', async () => {
    const work = idOf(await create(ann, at('projects/ann/work'), free));
    const home = idOf(await create(ann, at('home'), free));
    for (const [sessionId, ...asked] of [
      [work, 'read', { file_path: 'to-bob/a.txt' }],
      [work, 'read', { file_path: at('projects/bob/a.txt') }],
      [work, 'write', { file_path: 'to-bob/b.txt', content: 'x' }],
      [home, 'read', { file_path: '.ssh/id_ed25519' }],
      [home, 'edit', { file_path: '.ssh/id_ed25519', old_string: 'planted', new_string: 'x' }],
      [home, 'grep', { pattern: '.', path: '.ssh' }],
      [home, 'glob', { pattern: '*', path: '.ssh' }],
    ] as const) {
      const result = await run(ann, sessionId, [...asked]);
      expect([asked, result['ok']]).toEqual([asked, false]);
      expect(JSON.stringify(result)).not.toContain(SECRET);
    }
    const grep = await run(ann, home, ['grep', { pattern: 'plain|planted' }]);
    expect(String(grep['output']).trim()).toBe('work/a.txt:1:plain');
    expect(await run(ann, home, ['glob', { pattern: '**/*' }])).toMatchObject({
      output: 'work/a.txt',
    });
    expect(await readFile(at('home/.ssh/id_ed25519'), 'utf8')).toBe(SECRET);
  });

  it('lead no command there', async () => {
    const sessionId = idOf(await create(ann, at('projects/ann/work'), free));
    const command = `ls ${at('projects')}; cat a.txt ${at('projects/bob/a.txt')} ${at('bobs-own/a.txt')} to-bob/a.txt ${at('home/.ssh/id_ed25519')}; true`;
    const { output } = await run(ann, sessionId, ['bash', { command }]);
    expect(String(output).split('\n').slice(0, 2)).toEqual(['ann', 'plain']);
    expect(output).not.toContain(SECRET);
  });

  it('that are turned to another’s after the session was made take no turn', async () => {
    await mkdir(at('projects/ann/turned'));
    const sessionId = idOf(await create(ann, at('projects/ann/turned'), free));
    await rename(at('projects/ann/turned'), at('projects/ann/was'));
    await symlink('../bob', at('projects/ann/turned'));
    const body = { sessionId, message: 'Hello' };
    const refused = await ann.send('POST', '/api/harness/turn', body);
    expect([refused.status, refused.body['error']]).toMatchObject([409, closed]);
  });

  it('have no attachments of others', async () => {
    const sessionId = idOf(await create(ann, at('home')));
    const attachments = [at('home/.ssh/id_ed25519')];
    const body = { sessionId, message: '', attachments };
    const refused = await ann.send('POST', '/api/harness/turn', body);
    expect([refused.status, refused.body['error']]).toMatchObject([
      400,
      { type: 'ATTACHMENT_FAILURE' },
    ]);
  });
});

describe('project roots of a server without keys', () => {
  let server: TestServer;
  let folder: string;
  beforeAll(async () => {
    folder = await newFolder();
    const projects = path.join(folder, 'projects');
    const environment = { TURNPIKE_PROJECTS_DIR: projects, TURNPIKE_PROJECT_ROOTS: '' };
    server = await startServer({ environment });
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(wires)('are the default one where none is named, on the wire of %s', async (...wire) => {
    const [, url, body] = wire;
    const client = new KeyedClient(server.url);
    const root = await rootOf(client, await client.send('POST', url, body()));
    expect(root).toBe(path.join(folder, 'projects/default'));
  });

  it('are any folder that is named', async () => {
    await server.client.createSession(folder);
  });
});
