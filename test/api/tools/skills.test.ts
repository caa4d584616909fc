import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import { expectSoon } from '../../support/expect-soon.js';
import { useServer } from '../../support/processes/start-server.js';

const call = (name: string, input: object, step = 1): string =>
  `[[tool=${name} ${JSON.stringify(input)} step=${step}]]`;
const load = (name: string, step = 1): string => call('load_skill', { name }, step);
const readFile = (name: string, file: string): string =>
  call('read_skill_file', { name, path: file });

describe('skills', () => {
  const root = instructionRootWith({
    READER: ['tools: [read, write]'],
    NAMED: ['tools: [read]', 'skills: [git-log]'],
    NONE: ['skills: []'],
    BARRED: ['disallowed_tools: [load_skill]'],
  });
  const server = useServer(async () => {
    await put('skills/release-notes', 'description: Writes release notes.', 'Be brief.');
    await put(
      'skills/git-log',
      'description: Reads logs.\nallowed-tools: Read',
      'Look at the log.',
    );
    await put('skills/faulty', 'license: MIT', 'Never seen.');
    await put('agents/READER/skills/release-notes', 'description: As READER does.', 'Be long.');
    await writeFile(path.join(root, 'skills/release-notes/style.md'), 'Use the past tense.');
    await writeFile(path.join(root, 'skills/release-notes/image.png'), Buffer.from([0, 1, 2]));
    await writeFile(path.join(root, 'secret.md'), 'A secret.');
    await symlink(path.join(root, 'secret.md'), path.join(root, 'skills/release-notes/link.md'));
    return {
      environment: { TURNPIKE_INSTRUCTION_ROOT: root, TURNPIKE_PROJECT_SKILLS: 'true' },
    };
  });

  async function put(folder: string, fields: string, body: string, inRoot = root): Promise<void> {
    const at = path.join(inRoot, folder);
    await mkdir(at, { recursive: true });
    const name = path.basename(folder);
    await writeFile(path.join(at, 'SKILL.md'), `---\nname: ${name}\n${fields}\n---\n${body}\n`);
  }

  async function run(
    message: string,
    { persona = 'WORKING_ITEMS', opts = {}, sessionId = '' } = {},
  ) {
    const session =
      sessionId || (await server.client.createSession(server.projectRoot, { persona }));
    const stream = await server.client.turn(session, message, { opts });
    const frames = await stream.all();
    expect(frames.at(-1)?.data).toEqual({ exitCode: 0 });
    const results = frames
      .filter(({ event }) => event === 'tool:result')
      .map(({ data }) => ({ status: data['status'], output: String(data['output']) }));
    return { sessionId: session, turnId: stream.header('x-turn-id'), results, frames };
  }

  const lastRequest = () => {
    const body = server.modelRequests.at(-1)?.body;
    const tools = (body?.tools ?? []).map(({ name }) => name);
    return {
      system: JSON.stringify(body?.system),
      messages: JSON.stringify(body?.messages),
      tools,
    };
  };
  const skillTools = ['load_skill', 'read_skill_file'];

  it('are in the prompt by name and description alone, in the same order in each turn', async () => {
    const { sessionId } = await run('Hello');
    const { system, tools } = lastRequest();
    expect(system).toContain('- git-log: Reads logs.\\n- release-notes: Writes release notes.');
    expect(system).not.toMatch(/faulty|Be brief|As READER/);
    expect(tools).toEqual(expect.arrayContaining(skillTools));
    await run('Again', { sessionId });
    expect(lastRequest()).toMatchObject({ system, tools });
  });

  it('are those that agent and turn name, and no tools are offered without one', async () => {
    const cases: [object, string[]][] = [
      [{ persona: 'NAMED' }, ['git-log']],
      [{ persona: 'NONE' }, []],
      [{ persona: 'BARRED' }, []],
      [{ opts: { skills: [] } }, []],
      [{ opts: { skills: ['release-notes'] } }, ['release-notes']],
      [{ opts: { tools: ['read'] } }, []],
      [{ opts: { tools: ['read', 'load_skill'] } }, ['git-log', 'release-notes']],
      [{ opts: { tools: ['read'], skills: ['git-log'] } }, ['git-log']],
    ];
    for (const [given, names] of cases) {
      await run('Hello', given);
      const { system, tools } = lastRequest();
      const listed = ['git-log', 'release-notes'].filter((name) => system.includes(`- ${name}:`));
      expect([given, listed]).toEqual([given, names]);
      expect(tools.filter((name) => skillTools.includes(name))).toEqual(
        names.length === 0 ? [] : skillTools,
      );
    }
  });

  it('are named to the client where a turn asks for one that there is not', async () => {
    const { frames } = await run('Hello', { opts: { skills: ['faulty', 'git-log'] } });
    const notices = frames.filter(({ data }) => data['kind'] === 'skill-missing');
    expect(notices.map(({ data }) => data['text'])).toEqual([
      'There is no skill of this name, or its file has faults: faulty.',
    ]);
  });

  it('are loaded by name, with files of their folder and nothing outside of it', async () => {
    const files = ['style.md', 'link.md', '../../secret.md', '/etc/passwd', 'image.png', 'none.md'];
    const { results } = await run(
      [load('release-notes'), ...files.map((file) => readFile('release-notes', file))].join(' '),
    );
    const expected = [
      ['success', /^Skill release-notes\..*Be brief\.$/s],
      ['success', /^Use the past tense\.$/],
      ['error', /"link\.md" is no file of this folder/],
      ['error', /leads out of the folder/],
      ['error', /must be relative to the folder/],
      ['error', /is not text in UTF-8/],
      ['error', /is no file of this folder/],
    ] as const;
    for (const [index, [status, output]] of expected.entries()) {
      expect(results.filter((one) => one.status === status && output.test(one.output))).not.toEqual(
        [],
      );
      expect(results[index]?.output).not.toContain('A secret');
    }
    const { results: missing } = await run(load('faulty'));
    expect(missing).toEqual([
      {
        status: 'error',
        output: 'There is no skill faulty here; there is git-log, release-notes.',
      },
    ]);
  });

  it('of an agent’s own folder are used in place of the server’s', async () => {
    const { results } = await run(load('release-notes'), { persona: 'READER' });
    expect(results[0]?.output).toContain('Be long.');
    const { body } = await server.client.get('/api/harness/skills?agent=READER');
    expect(body['skills']).toMatchObject([
      { name: 'faulty', level: 'server', isOffered: false, faults: [{ line: 1 }] },
      { name: 'git-log', level: 'server', isOffered: true, allowedTools: ['read'] },
      { name: 'release-notes', level: 'server', isOffered: false, hiddenBy: 'agent' },
      { name: 'release-notes', level: 'agent', isOffered: true, hiddenBy: null },
    ]);
  });

  it('of a project are used where that is set, and hide none of the server’s', async () => {
    const skills = '.claude/skills';
    await put(`${skills}/release-notes`, 'description: Of the project.', 'Hm.', server.projectRoot);
    await put(`${skills}/own`, 'description: Own.', 'Project’s own.', server.projectRoot);
    await expectSoon(async () => {
      const { results, sessionId } = await run(load('own'));
      expect(results[0]?.output).toContain('Project’s own.');
      const { body } = await server.client.get(`/api/harness/sessions/${sessionId}/skills`);
      expect(body['skills']).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ name: 'own', level: 'project', isOffered: true }),
          expect.objectContaining({ level: 'project', hiddenBy: 'server', isOffered: false }),
        ]),
      );
    });
    await rm(path.join(server.projectRoot, '.claude'), { recursive: true });
  });

  it('narrow the turn that has loaded them, from the next step on, and no other turn', async () => {
    const write = { file_path: 'a.md', content: 'x' };
    const opts = { mode: 'acceptEdits' };
    const { results, sessionId } = await run(
      [
        load('git-log'),
        call('write', write),
        call('write', write, 2),
        call('read', { file_path: 'a.md' }, 2),
        load('release-notes', 2),
      ].join(' '),
      { opts },
    );
    expect(results.map(({ status }) => String(status)).sort()).toEqual([
      'denied',
      'success',
      'success',
      'success',
      'success',
    ]);
    expect(results.find(({ status }) => status === 'denied')?.output).toBe(
      'permission denied: the skill git-log, which this turn has loaded, allows read, load_skill, read_skill_file until the turn ends. Go on within these tools, or in another turn.',
    );
    const next = await run(call('write', write), { sessionId, opts });
    expect(next.results).toMatchObject([{ status: 'success' }]);
  });

  it('that change are told to the next turn, and nothing that was sent changes', async () => {
    await put('skills/news', 'description: Old news.', 'Old.');
    let session = '';
    await expectSoon(async () => {
      ({ sessionId: session } = await run('Hello'));
      expect(lastRequest().system).toContain('Old news.');
    });
    const { system, tools } = lastRequest();
    await put('skills/news', 'description: New news.', 'New.');
    await expectSoon(async () => {
      await run('Again', { sessionId: session });
      expect(lastRequest().messages).toContain('skills too:\\n- news: New news.');
    });
    expect(lastRequest()).toMatchObject({ system, tools });
    await put('skills/news', 'description: New news.', 'Newer.');
    await expectSoon(async () => {
      await run('Again', { sessionId: session });
      expect(lastRequest().messages).toContain('load them again before you follow them: news.');
    });
    const { results } = await run(load('news'), { sessionId: session });
    expect(results[0]?.output).toContain('Newer.');
    await rm(path.join(root, 'skills/news'), { recursive: true });
    await expectSoon(async () => {
      await run('Again', { sessionId: session });
      expect(lastRequest().messages).toContain('These skills are gone: news.');
    });
    expect(lastRequest()).toMatchObject({ system, tools });
  });

  it('are not told of again by a turn in the place of one that was told of something else', async () => {
    const { sessionId } = await run('Hello');
    const say = async (message: string, opts: object): Promise<string | null> => {
      const { turnId } = await run(message, { sessionId, opts });
      expect(lastRequest().messages).not.toContain('skills too');
      return turnId;
    };
    const planned = await say('Plan', { mode: 'plan' });
    // No announcement is left, and then one that also says which skills there were.
    await say('Plan again', { mode: 'plan', replaces: planned });
    const direct = await say('Do it', { mode: 'direct' });
    await say('Do it again', { mode: 'direct', replaces: direct });
  });

  it('with faults are named at the start by file and line', () => {
    const lines = server.logLines.filter((line) =>
      line.includes(
        'an instruction file has a fault; the last good version stays in use, or the file is left out if there is none. Correct it',
      ),
    );
    expect(lines.join('\n')).toContain('skills/faulty/SKILL.md:1');
  });

  it('of an agent that does not exist are a 404', async () => {
    const { status, body } = await server.client.get('/api/harness/skills?agent=..%2F..');
    expect([status, body['error']]).toEqual([
      404,
      expect.objectContaining({ type: 'PERSONA_NOT_FOUND' }),
    ]);
  });
});
