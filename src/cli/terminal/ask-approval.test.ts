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
function sitting(key: string, ...lines: (string | undefined)[]) {
  const left = [...lines];
  const shown: string[] = [];
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
      line: async () => left.shift(),
      key: async () => ({ key }),
      close: () => undefined,
    },
    screen: {
      json: false,
      paint: painter(false),
      isLive: false,
      holdsSteps: false,
      columns: 80,
      out: () => undefined,
      err: (text) => void shown.push(text),
    },
    environment: {},
  };
  return { deps, answers, shown };
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

describe('what a call asks, at a terminal', () => {
  const schema = {
    type: 'object',
    properties: {
      colour: { type: 'string', title: 'Colour', oneOf: [{ const: 'r', title: 'Red' }] },
      count: { type: 'integer', minimum: 1, default: 2 },
      gift: { type: 'boolean' },
      extras: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
      note: { type: 'string' },
    },
    required: ['colour', 'count'],
  };
  const asked = (more: Record<string, unknown>): Question => ({
    ...question,
    kind: 'elicitation',
    question: { server: 'shop', message: 'Which?', ...more },
  });
  const form = asked({ mode: 'form', schema });

  it('is filled in field by field, and a wrong value is asked for again', async () => {
    const { deps, answers, shown } = sitting('f', '', 'Red', 'many', '', 'y', 'a, b', '');
    await expect(askApproval(deps, form)).resolves.toBe(true);
    expect(answers).toEqual([
      {
        decision: 'answer',
        content: { colour: 'r', count: 2, gift: true, extras: ['a', 'b'] },
      },
    ]);
    expect(shown.join('')).toContain('r  Red');
    expect(shown.filter((line) => line.startsWith('!'))).toEqual([
      '! it is required\n',
      '! it must be a number\n',
    ]);
  });

  it('is not answered at the end of input', async () => {
    const { deps, answers } = sitting('f', 'r', undefined);
    await expect(askApproval(deps, form)).resolves.toBe(false);
    expect(answers).toEqual([]);
  });

  it.each([
    ['d', { decision: 'answer' }],
    ['n', { decision: 'deny' }],
    ['c', { decision: 'cancel' }],
  ])('is a link, answered with %s', async (key, body) => {
    const { deps, answers } = sitting(key);
    const link = asked({ mode: 'url', url: 'https://pay.example/' });
    await expect(askApproval(deps, link)).resolves.toBe(true);
    expect(answers).toEqual([body]);
  });
});
