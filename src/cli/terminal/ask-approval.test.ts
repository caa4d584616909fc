import { describe, expect, it } from '@jest/globals';
import { TurnpikeClient } from '../../client/turnpike-client.js';
import { askApproval, type AskDeps, type Question } from './ask-approval.js';
import { painter } from './screen.js';

const question: Question = {
  approvalId: 'appr_1',
  toolUseId: 'toolu_1',
  name: 'pick_colour',
  input: {},
  kind: 'client-tool',
  reason: 'The client runs it',
  expiresAt: '2026-01-01T00:00:00.000Z',
  onTimeout: 'deny',
};

/** A terminal with typed keys, and the requests that the server got. */
function sitting(key: string, line: string | undefined) {
  const answers: unknown[] = [];
  const client = new TurnpikeClient({
    url: 'http://turnpike.test',
    fetch: async (_input, init) => {
      answers.push(JSON.parse(init?.body as string));
      return Response.json({ approval: {} });
    },
  });
  const deps: AskDeps = {
    client,
    input: {
      isTerminal: true,
      line: async () => line,
      key: async () => ({ key }),
      close: () => undefined,
    },
    screen: {
      json: false,
      paint: painter(false),
      isLive: false,
      columns: 80,
      out: () => undefined,
      err: () => undefined,
    },
    environment: {},
  };
  return { deps, answers };
}

describe('a question at a terminal', () => {
  it('is answered with what was typed', async () => {
    const { deps, answers } = sitting('a', 'blue');
    await expect(askApproval(deps, question)).resolves.toBe(true);
    expect(answers).toEqual([{ decision: 'answer', output: 'blue', isError: false }]);
  });

  it('is not answered by a Ctrl-C in the middle of the answer', async () => {
    const { deps, answers } = sitting('a', undefined);
    await expect(askApproval(deps, question)).resolves.toBe(false);
    expect(answers).toEqual([]);
  });
});
