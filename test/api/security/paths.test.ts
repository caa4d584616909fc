import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { useServer } from '../../support/processes/start-server.js';
import { newFolder } from '../../support/suite.js';

const SECRET = 'planted-outside-of-the-project-4b1d';
const call = (name: string, input: object): string => `[[tool=${name} ${JSON.stringify(input)}]]`;
const tools = ['read', 'write', 'edit', 'glob', 'grep'];

describe('paths', () => {
  const server = useServer();
  const outside = newFolder();
  beforeAll(async () => {
    await writeFile(path.join(outside, 'a.txt'), SECRET);
    for (const folder of ['docs', 'secrets']) await mkdir(at(folder));
    await writeFile(at('docs/a.txt'), 'plain');
    await writeFile(at('secrets/a.txt'), 'hidden');
    await symlink(outside, at('out'));
    await symlink(path.join(outside, 'a.txt'), at('out.txt'));
    await symlink(path.join(outside, 'new.txt'), at('dangling.txt'));
    await symlink('out', at('twice'));
    await symlink('circle', at('circle'));
    await symlink('secrets', at('pub'));
    await symlink('../secrets/a.txt', at('docs/link.txt'));
  });

  const at = (name: string): string => path.join(server.projectRoot, name);

  /** Runs one call as a model that asks for it. @returns its result. */
  async function run(name: string, input: object, session: object = {}) {
    const { client, projectRoot } = server;
    const rest = { mode: 'acceptEdits', ...session };
    const sessionId = await client.createSession(projectRoot, rest);
    const stream = await client.turn(sessionId, call(name, input), { opts: { tools } });
    const frames = await stream.all();
    expect(frames.at(-1)?.data).toEqual({ exitCode: 0 });
    return frames.find(({ event }) => event === 'tool:result')?.data ?? {};
  }

  const ways: [string, (outside: string) => string][] = [
    ['..', (folder) => `../../${path.basename(folder)}/a.txt`],
    ['.. after a link', (folder) => `docs/../out/../../${path.basename(folder)}/a.txt`],
    ['an absolute path', (folder) => `${folder}/a.txt`],
    ['a link to a folder', () => 'out/a.txt'],
    ['a link to a link', () => 'twice/a.txt'],
    ['a link to a file', () => 'out.txt'],
    ['a link to nothing', () => 'dangling.txt'],
    ['a new folder below a link', () => 'out/deep/er/a.txt'],
    ['the folder of a process', (folder) => `/proc/self/root${folder}/a.txt`],
    ['NUL', () => 'docs/a.txt\0'],
  ];

  it.each(ways)('that a model writes lead no tool out: %s', async (_way, wayTo) => {
    const given = wayTo(outside);
    const before = await readdir(outside);
    for (const [name, input] of [
      ['read', { file_path: given }],
      ['write', { file_path: given, content: 'x' }],
      ['edit', { file_path: given, old_string: 'planted', new_string: 'x' }],
      ['grep', { pattern: 'planted', path: given }],
      ['glob', { pattern: '*', path: path.dirname(given) }],
    ] as const) {
      const { ok, output } = await run(name, input);
      const isInside = name === 'glob' && ['.', 'docs'].includes(path.dirname(given));
      expect([name, ok]).toEqual([name, isInside]);
      expect(output).not.toContain(SECRET);
      // Errors have the path as it was written, and nothing of the machine.
      if (!given.startsWith('/')) expect(output).not.toContain(outside);
    }
    expect(await readdir(outside)).toEqual(before);
    expect(await readFile(path.join(outside, 'a.txt'), 'utf8')).toBe(SECRET);
  });

  it.each([
    '/proc/self/environ',
    '/proc/1/environ',
    '/proc/self/cwd/package.json',
    '~/.ssh/id_ed25519',
    '$HOME/.aws/credentials',
    'file:///etc/passwd',
    '/etc/passwd',
  ])('that a prompt speaks of are as far as any other: %s', async (given) => {
    for (const [name, input] of [
      ['read', { file_path: given }],
      ['grep', { pattern: '.', path: given }],
      ['glob', { pattern: '*', path: given }],
      ['glob', { pattern: given }],
    ] as const) {
      const { ok, output } = await run(name, input);
      const found = ok === true && output !== 'no matches';
      expect([name, found, output]).toEqual([name, false, expect.any(String)]);
      expect(output).not.toMatch(/root:x|PATH=|"name"/);
    }
  });

  it('outside are all alike: whether something is there does not show', async () => {
    const [there, not] = [path.join(outside, 'a.txt'), path.join(outside, 'none.txt')];
    const outputs = await Promise.all(
      [there, not].map(async (file_path) => String((await run('read', { file_path }))['output'])),
    );
    expect(outputs[0]?.replace(there, '')).toBe(outputs[1]?.replace(not, ''));
  });

  it('that are denied to read are not searched, by name or from above', async () => {
    const session = { permissions: { deny: ['read(secrets/**)'] } };
    for (const shown of ['secrets', 'secrets/a.txt', 'pub/a.txt', 'docs/link.txt']) {
      const named = await run('grep', { pattern: '.', path: shown }, session);
      expect([shown, named['output']]).toEqual([shown, expect.not.stringContaining('hidden')]);
    }
    const found = await run('grep', { pattern: 'hidden|plain' }, session);
    expect(String(found['output']).trim()).toMatch(
      /^docs\/a\.txt:1:plain\n\[files that the rules deny, not searched: \d+\]$/,
    );
    const all = await run('grep', { pattern: 'hidden' });
    expect(all['output']).toContain('secrets/a.txt:1:hidden');
  });

  it('of a circle of links are an error', async () => {
    const { ok, output } = await run('read', { file_path: 'circle/a.txt' });
    expect([ok, output]).toEqual([false, expect.stringContaining('too many levels')]);
  });

  const denied = (tool: string) => ({ permissions: { deny: [`${tool}(secrets/**)`] } });

  it.each([
    'secrets/a.txt',
    './docs/../secrets//a.txt',
    'pub/a.txt',
    'pub/../pub/a.txt',
    'docs/link.txt',
    'circle/a.txt',
  ])('are denied by where they lead: %s', async (file_path) => {
    for (const [name, input] of [
      ['read', { file_path }],
      ['write', { file_path, content: 'x' }],
      ['edit', { file_path, old_string: 'hidden', new_string: 'x' }],
      ['grep', { pattern: '.', path: file_path }],
    ] as const) {
      const { status, output } = await run(name, input, denied(name));
      expect([name, status]).toEqual([name, 'denied']);
      expect(output).toContain(`the session denies ${name}(secrets/**)`);
    }
    expect(await readFile(at('secrets/a.txt'), 'utf8')).toBe('hidden');
  });

  it.each<[string, () => string, string]>([
    ['a folder that is denied', () => 'secrets', 'denied'],
    ['a folder outside', () => outside, 'error'],
  ])('of a link that is turned to %s while a person decides', async (_what, target, status) => {
    const { client, projectRoot } = server;
    await rm(at('turning'), { force: true });
    await symlink('docs', at('turning'));
    const permissions = { deny: ['write(secrets/**)'] };
    const sessionId = await client.createSession(projectRoot, { permissions });
    const write = call('write', { file_path: 'turning/swapped.txt', content: 'x' });
    const stream = await client.turn(sessionId, write, { opts: { tools } });
    const { approvalId } = (await stream.until('approval:request')).data;
    await rm(at('turning'));
    await symlink(target(), at('turning'));
    await client.post(`/api/harness/approvals/${String(approvalId)}`, { decision: 'approve' });
    expect((await stream.until('tool:result')).data).toMatchObject({ ok: false, status });
    await stream.all();
    for (const folder of [at('docs'), at('secrets'), outside]) {
      expect(existsSync(path.join(folder, 'swapped.txt'))).toBe(false);
    }
  });

  it('that are approved for a session are approved where they led, and nowhere else', async () => {
    const { client, projectRoot } = server;
    await rm(at('turning'), { force: true });
    await symlink('docs', at('turning'));
    const sessionId = await client.createSession(projectRoot);
    const write = call('write', { file_path: 'turning/once.txt', content: 'x' });
    const first = await client.turn(sessionId, write, { opts: { tools } });
    const { approvalId } = (await first.until('approval:request')).data;
    const decision = { decision: 'approve-session' };
    await client.post(`/api/harness/approvals/${String(approvalId)}`, decision);
    await first.all();
    await rm(at('turning'));
    await symlink('secrets', at('turning'));
    const second = await client.turn(sessionId, write, { opts: { tools } });
    expect((await second.until('approval:request')).data).toMatchObject({ name: 'write' });
    await client.post('/api/harness/interrupt', { sessionId });
    await second.all();
    expect(existsSync(at('secrets/once.txt'))).toBe(false);
  });

  it.each<[string, () => string, RegExp]>([
    ['a link to a file', () => at('out.txt'), /symbolic links are rejected/],
    ['a link to a folder', () => at('out/a.txt'), /must lie inside/],
    ['a link to a link', () => at('twice/a.txt'), /must lie inside/],
    ['..', () => `${server.projectRoot}/../../${path.basename(outside)}/a.txt`, /must lie inside/],
    ['the folder of a process', () => `/proc/self/root${outside}/a.txt`, /must lie inside/],
    ['NUL', () => `${at('docs/a.txt')}\0.txt`, /not accessible/],
    ['a URL', () => `file://${at('docs/a.txt')}`, /must be absolute/],
    ['the environment of a process', () => '/proc/self/environ', /must lie inside/],
  ])('of attachments lead nowhere: %s', async (_way, given, reason) => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const body = { sessionId, message: '', attachments: [given()] };
    const refused = await client.post('/api/harness/turn', body);
    const { error } = refused.body as { error: { details: { attachmentErrors: object[] } } };
    expect([refused.status, error]).toMatchObject([400, { type: 'ATTACHMENT_FAILURE' }]);
    expect(error.details.attachmentErrors).toEqual([
      { path: given(), reason: expect.stringMatching(reason) },
    ]);
    expect(JSON.stringify(refused.body)).not.toContain(SECRET);
    const history = await client.get(`/api/harness/sessions/${sessionId}/messages`);
    expect(history.body).toEqual({ messages: [] });
  });
});
