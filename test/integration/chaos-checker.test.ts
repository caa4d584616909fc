import { describe, expect, it } from '@jest/globals';
import { checkTurn } from '../../chaos/check/check-turn.mjs';
import { planTurn } from '../../chaos/plan/plan-turn.mjs';
import type { Frame, ReaderHistory, TurnHistory, TurnPlan, TurnRows } from '../../chaos/types.js';

type Received = [cursor: string, event: string, data: Record<string, unknown>];

const turnId = 'turn_1';

const usual: Received[] = [
  ['1.1', 'session:init', {}],
  ['1.2', 'step:start', { step: 1 }],
  ['1.3', 'chat:delta', { step: 1, text: 'a' }],
  ['1.4', 'tool:request', { step: 1, toolUseId: 'c1' }],
  ['1.5', 'tool:result', { toolUseId: 'c1', status: 'success' }],
  ['1.6', 'step:end', { step: 1 }],
  ['1.7', 'step:start', { step: 2 }],
  ['1.8', 'chat:delta', { step: 2, text: 'b' }],
  ...end('1.9', 'ab'),
];

function end(cursor: string, text: string): Received[] {
  return [
    [`${cursor}.1`, 'chat:complete', { text }],
    [`${cursor}.2`, 'session:complete', {}],
    [`${cursor}.3`, 'turn:end', { outcome: 'completed', exitCode: 0, reason: 'end_turn' }],
    [`${cursor}.4`, 'process:exit', { exitCode: 0 }],
  ];
}

/** The worker died after `a`; the next one streamed the step again. */
const lostTail: Received[] = [
  ['1.1', 'session:init', {}],
  ['1.2', 'step:start', { step: 1 }],
  ['1.3', 'chat:delta', { step: 1, text: 'half' }],
];
/** The same, where the text is an object's. */
const lostObject: Received[] = [
  ...lostTail.slice(0, 2),
  ['1.3.1', 'chat:delta', { step: 1, text: '{"count":' }],
  ['1.3.2', 'output:partial', { output: {} }],
];
const recovered: Received[] = [
  ['2.1', 'turn:recovering', {}],
  ['2.2', 'step:discard', { step: 1 }],
  ['2.3', 'step:start', { step: 1 }],
  ['2.4', 'chat:delta', { step: 1, text: 'ab' }],
  ...end('2.5', 'ab'),
];

function reader(received: Received[], more: Partial<ReaderHistory> = {}): ReaderHistory {
  const frames = received.map(([cursor, event, data], index): Frame => ({
    id: `${turnId}:${cursor}`,
    event,
    data,
    at: index,
    connection: 0,
  }));
  return { name: 'first', frames, maxAwayMs: 0, hasLeft: false, ...more };
}

interface Given {
  seen?: Received[];
  log?: Received[];
  reader?: Partial<ReaderHistory>;
  plan?: Partial<TurnPlan>;
  history?: Partial<TurnHistory>;
  turn?: Partial<TurnRows['turn']>;
  rows?: Partial<TurnRows>;
}

/** Kinds of fault that the checker finds in a usual turn with the given changes. */
function kindsFound(given: Given): string[] {
  const { seen = usual, log = given.seen ?? usual } = given;
  const plan: TurnPlan = {
    ...planTurn(1, 0),
    onDisconnect: 'continue',
    interruptAfter: undefined,
    abandonAfter: undefined,
    mayFail: false,
    ...given.plan,
  };
  const history: TurnHistory = {
    plan,
    turnId,
    sessionId: 'sess_1',
    postedAs: [turnId],
    readers: [reader(seen, given.reader)],
    fresh: reader(log, { name: 'the log' }),
    interruptedAt: undefined,
    ...given.history,
  };
  const turn = {
    id: turnId,
    status: 'completed',
    attempt: 1,
    exitCode: 0,
    endReason: 'end_turn',
    isLeased: false,
    endedAt: 1_000,
    output: null,
    failure: null,
    ...given.turn,
  };
  const calls = [{ callId: 'c1', name: 'bash', status: 'success', command: undefined }];
  const hasTool = log.some(([, event]) => event === 'tool:result');
  const rows: TurnRows = {
    turn,
    replyText: 'ab',
    assistantMessages: 1,
    calls: hasTool ? calls : [],
    ...given.rows,
  };
  const found = checkTurn(history, rows).map((violation) => violation.kind);
  return [...new Set(found)].sort();
}

const without = (cursor: string) => usual.filter(([at]) => at !== cursor);
const interrupted: Received[] = [
  ['1.1', 'session:init', {}],
  ['1.2.1', 'turn:end', { outcome: 'interrupted', exitCode: 130, reason: 'disconnect' }],
  ['1.2.2', 'process:exit', { exitCode: 130, interrupted: true }],
];
const interruptedRows = {
  seen: interrupted,
  turn: { status: 'interrupted', exitCode: 130, endReason: 'disconnect' },
  rows: { replyText: '' },
};

describe('the checker finds nothing in', () => {
  it.each<[string, Given]>([
    ['a turn as usual', {}],
    ['a turn that had to wait', { seen: [['0.1', 'turn:queued', { position: 1 }], ...usual] }],
    [
      'a tail that died with its worker',
      { seen: [...lostTail, ...recovered], log: [...lostTail.slice(0, 1), ...recovered] },
    ],
    [
      'a tail with a part of an object that died with its worker',
      { seen: [...lostObject, ...recovered], log: [...lostTail.slice(0, 2), ...recovered] },
    ],
    [
      'a tail that only the log still has',
      { seen: [...lostTail.slice(0, 1), ...recovered], log: [...lostTail, ...recovered] },
    ],
    ['a reader that left', { seen: usual.slice(0, 3), log: usual, reader: { hasLeft: true } }],
    [
      'a turn that was abandoned',
      { ...interruptedRows, plan: { onDisconnect: 'cancel', abandonAfter: 1 } },
    ],
    [
      'a reader that came back late to a turn that ends with its readers',
      { ...interruptedRows, plan: { onDisconnect: 'cancel' }, reader: { maxAwayMs: 9_000 } },
    ],
  ])('%s', (_name, given) => {
    expect(kindsFound(given)).toEqual([]);
  });
});

describe('the checker finds', () => {
  it.each<[string, string[], Given]>([
    [
      'a frame of another turn',
      ['bad-frame'],
      {
        log: usual,
        seen: [...usual.slice(0, 8), ['x', 'chat:delta', { step: 9, text: '' }], ...usual.slice(8)],
      },
    ],
    [
      'a frame twice',
      ['repeated', 'text-differs'],
      { seen: [...usual.slice(0, 3), ...usual.slice(2)], log: usual },
    ],
    [
      'an end twice',
      ['after-end', 'out-of-order', 'repeated', 'two-ends'],
      { seen: [...usual, ...end('1.9', 'ab').slice(2)], log: usual },
    ],
    [
      'a cursor that goes back',
      ['out-of-order'],
      {
        seen: [...usual.slice(0, 7), ['1.2', 'step:start', { step: 1 }], ...usual.slice(7)],
        log: usual,
      },
    ],
    [
      'an attempt that goes back',
      ['lost', 'out-of-order'],
      {
        seen: [...usual.slice(0, 6), ['2.1', 'turn:recovering', {}], ...usual.slice(6)],
        log: usual,
      },
    ],
    ['an event that is missing', ['lost'], { seen: without('1.6'), log: usual }],
    ['an event that nobody has', ['lost'], { seen: without('1.6') }],
    ['an event that only the log lacks', ['lost'], { seen: usual, log: without('1.6') }],
    [
      'a place in the queue that the log forgot',
      ['lost'],
      { seen: [['0.1', 'turn:queued', { position: 1 }], ...usual], log: usual },
    ],
    ['a first event that is missing', ['lost'], { seen: usual.slice(1), log: usual }],
    ['a part of an end that is missing', ['lost'], { seen: without('1.9.2'), log: usual }],
    [
      'a fact that a crash took back',
      ['lost'],
      {
        seen: [
          ...lostTail,
          ['1.4', 'tool:result', { toolUseId: 'c0', status: 'success' }],
          ...recovered,
        ],
        log: [...lostTail.slice(0, 1), ...recovered],
      },
    ],
    [
      'one cursor with two contents',
      ['two-readings'],
      {
        seen: usual.map((received): Received =>
          received[0] === '1.6' ? ['1.6', 'step:end', { step: 7 }] : received,
        ),
        log: usual,
      },
    ],
    [
      'a stream without an end',
      ['end-differs', 'no-end'],
      { seen: usual.slice(0, -1), log: usual },
    ],
    ['a text that is not the stored one', ['text-differs'], { rows: { replyText: 'abc' } }],
    [
      'a half-said step that was never discarded',
      ['text-differs'],
      {
        seen: [
          ...lostTail,
          ...recovered.map((received): Received =>
            received[1] === 'step:discard' ? ['2.2', 'x', {}] : received,
          ),
        ],
        log: [
          ...lostTail.slice(0, 1),
          ...recovered.map((received): Received =>
            received[1] === 'step:discard' ? ['2.2', 'x', {}] : received,
          ),
        ],
      },
    ],
    ['an end that is not the stored one', ['end-differs'], { turn: { endReason: 'max_turns' } }],
    [
      "a result that is not the ledger's",
      ['result-differs'],
      {
        rows: { calls: [{ callId: 'c1', name: 'bash', status: 'unknown', command: undefined }] },
      },
    ],
    [
      'a call without a result',
      ['open-call', 'result-differs'],
      {
        rows: { calls: [{ callId: 'c1', name: 'bash', status: 'claimed', command: undefined }] },
      },
    ],
    ['two turns for one key', ['key-ignored'], { history: { postedAs: [turnId, 'turn_2'] } }],
    ['a lease that stayed', ['leaked-lease'], { turn: { isLeased: true } }],
    [
      'a turn that is still active',
      ['active-left', 'end-differs'],
      { turn: { status: 'running' } },
    ],
    ['two replies', ['two-ends'], { rows: { assistantMessages: 2 } }],
    ['no reply', ['no-end'], { rows: { assistantMessages: 0 } }],
    [
      'a turn that failed for nothing',
      ['end-differs', 'failed-without-cause'],
      { turn: { status: 'failed' } },
    ],
    ['a cancel nobody asked for', ['cancelled-without-cause'], interruptedRows],
    [
      'a cancel while its reader was there',
      ['cancelled-without-cause'],
      { ...interruptedRows, plan: { onDisconnect: 'cancel' } },
    ],
    [
      'an interrupt that did nothing',
      ['interrupt-ignored'],
      { turn: { endedAt: 60_000 }, history: { interruptedAt: 1_000 } },
    ],
  ])('%s', (_name, kinds, given) => {
    expect(kindsFound(given)).toEqual(kinds);
  });

  it('a turn that the database does not have', () => {
    const history: TurnHistory = {
      plan: planTurn(1, 0),
      turnId,
      sessionId: 'sess_1',
      postedAs: [turnId],
      readers: [reader(usual)],
      fresh: undefined,
      interruptedAt: undefined,
    };
    expect(checkTurn(history, undefined).map((one) => one.kind)).toEqual(['turn-missing']);
  });
});
