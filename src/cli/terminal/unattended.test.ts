import { describe, expect, it } from '@jest/globals';
import { TurnpikeClient } from '../../client/turnpike-client.js';
import { eventStream } from '../../../test/client/fake-server.js';
import { printTurn } from '../render/print-turn.js';
import { painter, type Screen } from './screen.js';
import { answerUnasked, leaveUnanswered } from './unattended.js';

/** A server with these approvals, the requests that it got, and what was shown. */
function open(statuses: Record<string, 'pending' | 'resolved'>, answer = 200) {
  const posted: unknown[] = [];
  const shown: string[] = [];
  const client = new TurnpikeClient({
    url: 'http://turnpike.test',
    fetch: async (input, init) => {
      const id = new URL(new Request(input).url).pathname.split('/').at(-1) ?? '';
      if (init?.method !== 'POST') {
        return Response.json({ approval: { approvalId: id, status: statuses[id] } });
      }
      posted.push({ id, ...(JSON.parse(init.body as string) as object) });
      const error = {
        type: 'FORBIDDEN_APPROVER',
        message: 'Somebody with the role release decides.',
      };
      return answer === 200
        ? Response.json({ approval: {} })
        : Response.json({ error }, { status: answer });
    },
  });
  const screen: Screen = {
    json: false,
    paint: painter(false),
    isLive: false,
    holdsSteps: false,
    columns: 80,
    out: () => undefined,
    err: (text) => void shown.push(text),
  };
  return { client, screen, posted, shown };
}

const turn = { turnId: 'turn_1' };

describe('a turn that asks where nobody sits', () => {
  it('is left with 3, the ids, and the commands that answer', async () => {
    const { client, screen, shown } = open({ appr_1: 'pending', appr_2: 'pending' });
    const leave = leaveUnanswered(client, turn, { screen });
    await expect(leave(['appr_1', 'appr_2'])).resolves.toBe(3);
    expect(shown.join('')).toBe(`The turn waits for 2 answers, and nobody is asked here. Answer:
  turnpike approve appr_1   or: turnpike deny appr_1
  turnpike approve appr_2   or: turnpike deny appr_2
and print what follows: turnpike tail turn_1
`);
  });

  it('is read on where somebody has answered since', async () => {
    const { client, screen, shown } = open({ appr_1: 'pending', appr_2: 'resolved' });
    const leave = leaveUnanswered(client, turn, { screen });
    await expect(leave(['appr_1', 'appr_2'])).resolves.toBeUndefined();
    expect(shown).toEqual([]);
  });

  it.each(['turn:parked', 'subagent:turn:parked'])('is left at %s', async (event) => {
    const { screen } = open({});
    const data = JSON.stringify({ approvalIds: ['appr_1'] });
    const parked = `event: ${event}\nid: turn_1:1.1\ndata: ${data}\n\n`;
    const end = 'event: process:exit\nid: turn_1:1.2\ndata: {"exitCode":0}\n\n';
    const client = new TurnpikeClient({
      url: 'http://turnpike.test',
      fetch: async () => eventStream(parked + end),
    });
    const leave = async (ids: readonly string[]): Promise<number> => ids.length + 2;
    await expect(printTurn(client.follow('turn_1'), screen, { leave })).resolves.toBe(3);
    await expect(printTurn(client.follow('turn_1'), screen)).resolves.toBe(0);
  });

  it('needs a server to be answered at, where the command ends its own', async () => {
    const { client, screen, shown } = open({ appr_1: 'pending' });
    await leaveUnanswered(client, turn, { screen, hasOwnServer: true })(['appr_1']);
    expect(shown.join('')).toContain('Start a server (turnpike serve). Then answer:\n');
  });

  it.each([
    ['approve', 'tool', [{ id: 'appr_1', decision: 'approve' }]],
    ['approve', 'unknown-outcome', []],
    ['approve', 'client-tool', []],
    ['deny', 'tool', [{ id: 'appr_1', decision: 'deny' }]],
    ['deny', 'elicitation', [{ id: 'appr_1', decision: 'deny' }]],
  ] as const)(
    'is answered with --%s: a question of the kind %s',
    async (decision, kind, answers) => {
      const { client, screen, posted } = open({ appr_1: 'pending' });
      await answerUnasked({ client, screen }, { approvalId: 'appr_1', kind }, decision);
      expect(posted).toEqual(answers);
    },
  );

  it('stays open where others decide, and says so', async () => {
    const { client, screen, shown } = open({ appr_1: 'pending' }, 403);
    await answerUnasked({ client, screen }, { approvalId: 'appr_1', kind: 'tool' }, 'approve');
    expect(shown).toEqual(['! Somebody with the role release decides.\n']);
  });
});
