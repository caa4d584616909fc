import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Ended } from '../../support/processes/run-program.js';
import { runTurnpike } from '../../support/processes/run-turnpike.js';
import { useServer } from '../../support/processes/start-server.js';

describe('branches, from the command line', () => {
  const server = useServer({ environment: { TURNPIKE_MODE_CEILING: 'acceptEdits' } });

  const turnpike = (...args: string[]): Promise<Ended> =>
    runTurnpike([...args], { environment: { TURNPIKE_URL: server.url } });

  async function run(sessionId: string, message: string, opts: object = {}): Promise<string> {
    const turn = await server.client.turn(sessionId, message, { opts });
    await turn.all();
    return turn.response.headers.get('x-turn-id') ?? '';
  }

  const textsOf = async (sessionId: string): Promise<unknown[]> => {
    const { body } = await server.client.get(`/api/harness/sessions/${sessionId}/messages`);
    const messages = body['messages'] as { role: string; parts: { text?: string }[] }[];
    return messages.filter(({ role }) => role === 'user').map(({ parts }) => parts[0]?.text);
  };

  it('a fork prints its session alone, and the files of later turns beside it', async () => {
    const sessionId = await server.client.createSession(server.projectRoot, {
      mode: 'acceptEdits',
    });
    const file = path.join(server.projectRoot, 'later.txt');
    const turnId = await run(sessionId, 'First');
    const write = `[[tool=write {"file_path":"${file}","content":"x"}]]`;
    await run(sessionId, write, { tools: ['write'], mode: 'acceptEdits' });
    const { code, stdout, stderr } = await turnpike('fork', turnId);
    expect([code, stderr]).toEqual([0, `Files stay as they are. Later turns wrote:\n  ${file}\n`]);
    expect(await textsOf(stdout.trim())).toEqual(['First']);
    const before = await turnpike('fork', turnId, '--before', '--json');
    const { session } = JSON.parse(before.stdout) as { session: { sessionId: string } };
    expect([await textsOf(session.sessionId), before.stderr]).toEqual([[], '']);
  });

  it('a turn replaces another in its session', async () => {
    const sessionId = await server.client.createSession(server.projectRoot);
    const turnId = await run(sessionId, 'First');
    await run(sessionId, 'Second');
    const { code } = await turnpike('turn', '--replaces', turnId, 'In other words');
    expect([code, await textsOf(sessionId)]).toEqual([0, ['In other words']]);
  });

  it('a replay prints the reply alone, and both turns beside it', async () => {
    const sessionId = await server.client.createSession(server.projectRoot);
    const turnId = await run(sessionId, 'Look [[tool=glob {"pattern":"*"}]]');
    const { code, stdout, stderr } = await turnpike(
      'replay',
      turnId,
      '--model',
      'claude-haiku-5-5',
    );
    expect(code).toBe(0);
    expect(stdout).not.toContain('claude-haiku-5-5 ');
    expect(stderr).toMatch(/^model .*claude-haiku-5-5$/m);
    expect(stderr).toMatch(/^calls +1 +1 \(1 recorded, 0 missed\)$/m);
    expect(stderr).toContain('\n= glob {"pattern":"*"}\n');
    const { body } = await server.client.get(`/api/harness/turns/${turnId}/replays`);
    const [replay] = body['replays'] as { turnId: string }[];
    const compared = await turnpike('compare', turnId, String(replay?.turnId), '--json');
    expect(JSON.parse(compared.stdout)).toMatchObject({ right: { replayOf: turnId } });
    const wrong = await turnpike('replay', turnId, '--tools', 'live');
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('recorded, none')]);
    const half = await turnpike('compare', turnId);
    expect([half.code, half.stderr]).toEqual([
      2,
      expect.stringContaining('compare [options] <TURN> <OTHER>'),
    ]);
  });

  it('says what is wrong with a call', async () => {
    const none = await turnpike('fork', 'turn_00000000-0000-4000-8000-000000000000');
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('turn_00000000')]);
    const bare = await turnpike('fork');
    expect([bare.code, bare.stderr]).toEqual([
      2,
      expect.stringContaining('turnpike fork [options] <TURN>'),
    ]);
  });
});
