import { describe, expect, it } from '@jest/globals';
import { judgeTargets, type Round } from '../../bench/report/judge-targets.mjs';

const percentiles = { p50: 1, p90: 1, p99: 1 };
const round = (turnsPerSecond: number): Round => ({
  turns: 100,
  deltas: 5_000,
  turnsPerSecond,
  offered: 5_000,
  delivered: 5_000,
  latencyMs: percentiles,
  ttftMs: percentiles,
  lost: 0,
  repeated: 0,
  outOfOrder: 0,
  errors: 0,
  idleKb: 1,
  peakKb: 2,
  cpuMs: { own: 100, product: 100 },
});
const scenarios = {
  t100: { streams: 100, gapMs: 0 },
  chat: { streams: 100, gapMs: 0 },
  p200: { streams: 200, gapMs: 20 },
};
const judge = (rounds: Record<string, Record<string, Round[]>>) =>
  judgeTargets(rounds, scenarios, []).filter(({ target }) => target.includes(', '));

describe('the targets of the bench', () => {
  it('are met or missed in the modes that ran, beside the proxy', () => {
    const t100 = { proxy: [round(100)], distributed: [round(95)] };
    expect(judge({ t100 })).toMatchObject([
      { target: expect.stringMatching(/^distributed: t100, turns/), met: true },
      { target: expect.stringMatching(/^t100: every turn/), met: true },
    ]);
    const slower = { ...t100, distributed: [round(80)] };
    expect(judge({ t100: slower })[0]).toMatchObject({ seen: '0.80 × proxy', met: false });
  });

  it('compare tokens with keys by each pair of rounds, however the machine changes meanwhile', () => {
    const spending = (...costs: number[]) =>
      costs.map((product) => ({ ...round(100), cpuMs: { own: product, product } }));
    const verdicts = (tokens: number[]) =>
      judge({
        t100: { 'embedded key': spending(100, 200, 150), 'embedded token': spending(...tokens) },
      }).map(({ target, seen, met }) => [target.split(', ').slice(1).join(', '), seen, met]);
    expect(verdicts([102, 204, 153])).toEqual([
      ['CPU a turn by token ≤ 1.03 × key', '1.02 × key', true],
      ['CPU a turn by token, spread of the median ≤ 2 %', '0.00 %', true],
      [expect.anything(), '0 faults', true],
    ]);
    expect(verdicts([102, 300, 160])).toEqual([
      ['CPU a turn by token ≤ 1.03 × key', '1.07 × key', false],
      ['CPU a turn by token, spread of the median ≤ 2 %', expect.any(String), false],
      [expect.anything(), '0 faults', true],
    ]);
  });

  it('are not measured without their baseline, and say so', () => {
    const alone = { distributed: [round(95)] };
    const verdicts = judge({ t100: alone, chat: alone, p200: alone });
    expect(
      verdicts
        .filter(({ seen }) => seen === 'not measured')
        .map(({ target, met }) => [target, met]),
    ).toEqual([
      [expect.stringMatching(/^distributed: t100, turns/), undefined],
      [expect.stringMatching(/^distributed: chat, turns/), undefined],
      [expect.stringMatching(/^p200, p50 beyond direct/), undefined],
      [expect.stringMatching(/^p200, p90 beyond direct/), undefined],
    ]);
  });
});
