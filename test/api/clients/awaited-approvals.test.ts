import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { runCommand } from '../../../src/cli/program.js';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import { makeKey } from '../../support/clients/keyed-client.js';
import { useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

describe('calls that others decide about', () => {
  const server = useServer();
  const people = useShared(async () => ({
    ann: await person('ann'),
    ben: await person('ben', ['release']),
    cas: await person('cas', ['release']),
    ops: await person('ops', [], ['admin']),
  }));

  async function person(principal: string, approves: string[] = [], scopes?: string[]) {
    const key = await makeKey(server, { principal, approves, ...(scopes && { scopes }) });
    return { key: key.secret, client: new TurnpikeClient({ url: server.url, key: key.secret }) };
  }

  /** Ann's turn waits for two people to let it write a file. */
  async function ask(file: string) {
    const { client } = people.ann;
    const rule = { rule: 'write', by: ['release'], count: 2 };
    const { sessionId } = await client.sessions.create({
      projectRoot: server.projectRoot,
      permissions: { ask: [rule] },
    });
    const message = `[[tool=write {"file_path":"${file}","content":"x"}]]`;
    const turn = await client.turn({ sessionId, message });
    for await (const { event, data } of turn) {
      if (event === 'approval:request') return { turn, id: data.approvalId };
    }
    throw new Error('Nothing was asked');
  }

  const isMade = (file: string): boolean => existsSync(path.join(server.projectRoot, file));

  it('are listed and answered by the client, apart from one’s own', async () => {
    const { ann, ben, cas } = people;
    const { turn, id } = await ask('client.txt');
    const { approvals: own } = await ann.client.approvals.list();
    expect(own).toMatchObject([
      { approvalId: id, awaits: [{ by: ['release'], count: 2, approved: 0 }], answers: [] },
    ]);
    expect((await ann.client.approvals.awaited.list()).approvals).toEqual([]);
    expect((await ben.client.approvals.list()).approvals).toEqual([]);
    const { approvals: awaited } = await ben.client.approvals.awaited.list({ limit: 1 });
    expect(awaited).toMatchObject([
      { approvalId: id, requester: 'ann', name: 'write', isAwaitingMe: true },
    ]);
    expect(Object.keys(awaited[0] ?? {})).not.toContain('sessionId');
    expect(await ben.client.approvals.awaited.approve(id)).toMatchObject({
      status: 'pending',
      isAwaitingMe: false,
      awaits: [{ approved: 1 }],
      answers: [{ by: 'ben', decision: 'approve', as: ['release'] }],
    });
    expect((await ben.client.approvals.awaited.list()).approvals).toEqual([]);
    expect(isMade('client.txt')).toBe(false);
    const decided = await cas.client.approvals.awaited.approve(id);
    expect(decided).toMatchObject({ status: 'resolved', decision: 'approve', by: 'approvers' });
    expect((await turn.result()).outcome).toBe('completed');
    expect(isMade('client.txt')).toBe(true);
    expect(await ben.client.approvals.awaited.get(id)).toEqual(decided);
  });

  it('are denied by one of them, with words for the model', async () => {
    const { turn, id } = await ask('denied.txt');
    const { awaited } = people.ben.client.approvals;
    expect(await awaited.deny(id, 'Not on Fridays.')).toMatchObject({ decision: 'deny' });
    expect((await turn.result()).text).toContain('Not on Fridays.');
    await expect(awaited.get('appr_unknown')).rejects.toMatchObject({
      code: 'APPROVAL_NOT_FOUND',
      status: 404,
    });
  });

  it('are listed and answered on the command line, apart from one’s own', async () => {
    const { turn, id } = await ask('cli.txt');
    const own = await command('ann', 'approvals');
    expect(own).toMatchObject({ code: 0, err: '' });
    expect(own.out).toContain(`${id}  tool  until`);
    expect(own.out).toContain('0 of 2 approved with the role release');
    expect(own.out).not.toContain('by others');
    const both = await command('ben', 'approvals');
    expect(both.err).toBe('No turn of yours waits for an approval.\n');
    expect(both.out).toMatch(/^\nAsked of you by others; .*\nappr_\S+ .* {2}ann asks\n {2}write /);
    expect((await command('ben', 'approvals', '--json')).out).toBe('');
    const others = await command('ben', 'approvals', '--of-others', '--json');
    expect(JSON.parse(others.out)).toMatchObject({ approvalId: id, requester: 'ann' });
    expect((await command('ben', 'approve', id)).code).toBe(1);
    expect((await command('ben', 'approve', id, '--of-others')).code).toBe(0);
    expect((await command('ben', 'approvals', '--of-others')).err).toBe('Nobody asks you.\n');
    expect((await command('cas', 'deny', id, '--of-others', 'Not', 'yet.')).code).toBe(0);
    expect((await turn.result()).text).toContain('Not yet.');
    expect(isMade('cli.txt')).toBe(false);
  });

  it('are decided by the keys that `turnpike keys list` shows with their roles', async () => {
    const { out } = await command('ops', 'keys', 'list');
    expect(out).toMatch(/^KEY .* APPROVES [^]* ben +turns,approvals +release /);
    expect(out).not.toMatch(/ ann .*release/);
  });

  it('are of turns that a key with the scope admin alone lists, by the names of their agents', async () => {
    const { code, out, err } = await command('ops', 'turns', '--all');
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^TURN .* AGENT /);
  });

  it('tells an admin why somebody else’s turn failed, without its words, and its owner with them', async () => {
    const { ann } = people;
    const { sessionId } = await ann.client.sessions.create({ projectRoot: server.projectRoot });
    const turn = await ann.client.turn({ sessionId, message: '[[fail=400]]' });
    const { turnId } = turn;
    await turn.result();
    const tail = await command('ben', 'tail', turnId);
    expect([tail.code, tail.err]).toEqual([1, expect.stringContaining('turns --all --id ID')]);
    const all = await command('ops', 'turns', '--all', '--id', turnId);
    expect(all.err).toMatch(
      new RegExp(`^${turnId} failed with [A-Z_]+(?: \\(\\w+\\))?\n[A-Z].+\\.\n$`),
    );
    const own = await command('ann', 'turns', '--id', turnId);
    expect(own.err).toMatch(new RegExp(`^${turnId} failed with [A-Z_]+[^:]*: .+\n[A-Z].+\\.\n$`));
  });

  async function command(name: keyof typeof people, ...args: string[]) {
    let [out, err] = ['', ''];
    const code = await runCommand(args, {
      environment: { TURNPIKE_URL: server.url, TURNPIKE_API_KEY: people[name].key },
      out: (text) => void (out += text),
      err: (text) => void (err += text),
      exitCode: 0,
    });
    return { code, out, err };
  }
});
