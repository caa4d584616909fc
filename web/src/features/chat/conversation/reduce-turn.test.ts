import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { TurnEvent } from '#src/events/turn-event.js';
import { harnessDialect } from '#src/wires/harness/dialect/harness.js';
import { reduceTurn } from './reduce-turn.js';
import { emptyTurn, type AnyFrame, type Item, type TurnView } from './turn-view.js';

const recorded = new URL('../../../../../test/golden/events/', import.meta.url);
const names = readdirSync(recorded);

function framesOf(events: readonly TurnEvent[]): AnyFrame[] {
  let state = harnessDialect.initial;
  return events.flatMap((event) => {
    const encoded = harnessDialect.encode(state, event);
    state = encoded.state;
    return encoded.frames.map(({ event: name = '', data }) => ({
      event: name,
      data: JSON.parse(data) as object,
    }));
  });
}

const framesOfFile = (name: string): AnyFrame[] =>
  framesOf(JSON.parse(readFileSync(new URL(name, recorded), 'utf8')) as TurnEvent[]);

const reduce = (frames: readonly AnyFrame[], view = emptyTurn('turn_1')): TurnView =>
  frames.reduce(reduceTurn, view);

const texts = ({ items }: TurnView): string[] =>
  items.flatMap((item) => (item.kind === 'text' ? [item.text] : []));

const toolOf = ({ items }: TurnView, key: string) => {
  const found = items.find((item) => item.kind === 'tool' && item.key === key);
  if (found?.kind !== 'tool') throw new Error(`There is no call ${key}`);
  return found;
};

const delta = (text: string, step = 1): AnyFrame => ({ event: 'chat:delta', data: { text, step } });

describe('reduceTurn', () => {
  it.each(names)('ends what %s tells, with nothing open', (name) => {
    const view = reduce(framesOfFile(name));
    expect(view.phase).toBe('ended');
    expect(view.outcome).toBeDefined();
    expect(view.items.filter((item: Item) => 'isOpen' in item && item.isOpen)).toEqual([]);
    expect(new Set(view.items.map(({ key }) => key)).size).toBe(view.items.length);
  });

  it('says that the worker does not answer until anything else comes', () => {
    const stall = { event: 'turn:stalled', data: { silentMs: 5_000, leaseUntil: '' } };
    const frames = [delta('a'), stall];
    expect(reduce(frames).phase).toBe('stalled');
    expect(reduce([...frames, delta('b')])).toEqual({
      ...reduce([delta('a'), delta('b')]),
      phase: 'running',
    });
    expect(reduce([...frames, { event: 'turn:recovering', data: {} }]).phase).toBe('recovering');
  });

  it('drops the text of a discarded step', () => {
    const frames = framesOfFile('recovered-after-a-crash.json');
    const at = frames.findIndex(({ event }) => event === 'step:discard');
    expect(texts(reduce(frames.slice(0, at)))).toEqual(['Let me ch']);
    expect(reduce(frames.slice(0, at)).phase).toBe('recovering');
    expect(texts(reduce(frames.slice(0, at + 1)))).toEqual([]);
    expect(texts(reduce(frames))).toEqual(['I will check.']);
    expect(toolOf(reduce(frames), 'c1').status).toBe('unknown');
  });

  it('gives what comes after a discarded step keys of its own', () => {
    const text = (step: number) => ({ event: 'chat:delta', data: { step, text: 'a' } });
    const notice = {
      event: 'system:notice',
      data: { kind: 'limit', text: 'b', seenByModel: true },
    };
    const discard = { event: 'step:discard', data: { step: 1 } };
    const view = reduce([text(1), notice, discard, notice]);
    expect(new Set(view.items.map(({ key }) => key)).size).toBe(2);
  });

  it('follows a call from its arguments to its result', () => {
    const frames = framesOfFile('tools-thinking-sources.json');
    const view = reduce(frames);
    expect(toolOf(view, 'c1')).toMatchObject({ status: 'success', step: 1 });
    expect(view.items[0]).toMatchObject({ kind: 'thinking', text: 'Let me see.', isOpen: false });
    const sources = view.items.find(({ kind }) => kind === 'sources');
    expect(sources).toMatchObject({ step: 2, sources: [{ title: 'a.md' }, { title: 'Sky' }] });
    const started = frames.findIndex(({ event }) => event === 'tool:start');
    expect(JSON.parse(toolOf(reduce(frames.slice(0, started)), 'c1').json)).toEqual(
      toolOf(view, 'c1').input,
    );
  });

  it('asks, takes the answer, and nests the subagent in its call', () => {
    const frames = framesOfFile('limited-and-everything-else.json');
    const asked = frames.findIndex(({ event }) => event === 'approval:request');
    expect(toolOf(reduce(frames.slice(0, asked + 1)), 'c1')).toMatchObject({
      status: 'asked',
      asked: { approvalId: 'appr_1', onTimeout: 'deny' },
    });
    const view = reduce(frames);
    expect(toolOf(view, 'c1')).toMatchObject({ status: 'error', answer: { by: 'ann' } });
    const { child } = toolOf(view, 'c2');
    expect(child).toMatchObject({ turnId: 'turn_2', agent: 'REVIEWER', outcome: 'completed' });
    expect(child && texts(child)).toEqual(['Looks fine.']);
    expect(view.items.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['rejected-file', 'notice', 'steered']),
    );
  });

  it('finds the subagent of a subagent by its call', () => {
    const relayed = { childTurnId: 'b', parentToolUseId: 'outer' };
    const frames = [
      { event: 'subagent:start', data: { toolUseId: 'outer', childTurnId: 'b', agent: 'B' } },
      {
        event: 'subagent:subagent:start',
        data: { ...relayed, toolUseId: 'inner', childTurnId: 'c', agent: 'C' },
      },
      {
        event: 'subagent:subagent:chat:delta',
        data: { childTurnId: 'c', parentToolUseId: 'inner', text: 'Deep', step: 1 },
      },
    ];
    const outer = toolOf(reduce(frames), 'outer').child;
    const inner = outer && toolOf(outer, 'inner').child;
    expect(inner).toMatchObject({ agent: 'C', items: [{ kind: 'text', text: 'Deep' }] });
  });

  it('says where the turn waits', () => {
    expect(reduce([{ event: 'turn:queued', data: { position: 3 } }])).toMatchObject({
      phase: 'queued',
      position: 3,
    });
    const parked = reduce([delta('a'), { event: 'turn:parked', data: { approvalIds: ['x'] } }]);
    expect(parked.phase).toBe('parked');
    expect(reduce([{ event: 'step:start', data: { step: 2 } }], parked).phase).toBe('running');
  });

  it('passes by what it does not know', () => {
    const view = reduce([delta('a')]);
    expect(reduce([{ event: 'turn:dreamt', data: {} }], view)).toBe(view);
  });

  it('changes no view that was shown', () => {
    const frames = names.flatMap((name) => framesOfFile(name));
    const before = reduce(frames.slice(0, 20));
    const copy = structuredClone(before);
    reduce(frames.slice(20), before);
    expect(before).toEqual(copy);
  });

  it('gives one text, however it was cut into deltas', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 }), { minLength: 1 }), (parts) => {
        expect(texts(reduce(parts.map((part) => delta(part))))).toEqual([parts.join('')]);
      }),
    );
  });

  it('has the object of a turn as far as it has come, then whole', () => {
    const frames = framesOfFile('ends-with-an-object.json');
    const seen = frames.map((_frame, index) => reduce(frames.slice(0, index + 1)).output);
    expect(seen).toContainEqual({ step: 1, value: { city: 'Par' }, isFinal: false });
    expect(seen).toContainEqual({ step: 2, value: {}, isFinal: false });
    expect(reduce(frames).output).toMatchObject({ step: 2, isFinal: true });
  });

  it('has no object where its turn ended before it was whole', () => {
    const partial: AnyFrame = { event: 'output:partial', data: { step: 1, output: { a: 1 } } };
    const failed: AnyFrame = {
      event: 'turn:error',
      data: { errorType: 'OUTPUT_INVALID', message: 'No object', details: { step: 1, faults: '' } },
    };
    const ended: AnyFrame = { event: 'turn:end', data: { outcome: 'failed' } };
    const view = reduce([delta('{"a":1'), partial, failed, ended]);
    expect(view.output).toBeUndefined();
    expect(view.fault?.badReplyStep).toBe(1);
    expect(texts(view)).toEqual(['{"a":1']);
  });

  it('keeps the context of the last call that had one', () => {
    const end = (step: number, tokens: number): AnyFrame => {
      const usage = {
        inputTokens: tokens,
        outputTokens: 0,
        cacheReadTokens: 90,
        cacheWriteTokens: 0,
      };
      const none = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
      const data = { step, stopReason: 'end_turn', usage: tokens === 0 ? none : usage };
      return { event: 'step:end', data };
    };
    expect(reduce([end(1, 10), end(2, 0)]).contextTokens).toBe(100);
  });
});
