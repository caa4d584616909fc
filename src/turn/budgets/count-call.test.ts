import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { estimateRequest } from '../../provider/estimate-tokens.js';
import { unknownModel } from '../../provider/models/known-models.js';
import { Lease } from '../state/lease.js';
import { countCall } from './count-call.js';

const model = unknownModel('m');
const text = 'word '.repeat(100);
const request = {
  model: 'm',
  system: '',
  tools: [],
  maxTokens: 10,
  messages: [{ role: 'user' as const, parts: [{ type: 'text' as const, text }] }],
};
const estimate = { added: 500, input: 600, cached: 400 };

describe('countCall', () => {
  const logged: unknown[] = [];
  const log = (fields: object): void => void logged.push(fields);
  const logger = { debug: log, info: log, warn: log, error: log, child: () => logger };
  const open = (
    countTokens: (request: unknown, signal: AbortSignal) => Promise<number>,
    steps: readonly unknown[] = [{}],
  ) => {
    const clock = new ManualClock();
    const lease = new Lease();
    const run = {
      services: { provider: { countTokens } },
      lease,
      clock,
      logger,
      model: { frame: { model } },
      progress: { steps },
    };
    return { clock, lease, counted: countCall(run, request, estimate) };
  };

  it('is off by what is new, where the rest was counted before', async () => {
    const { counted } = open(async () => 900);
    expect(await counted).toEqual({ added: 400, input: 500, cached: 400 });
  });

  it('is off by as much everywhere, where nothing was', async () => {
    const whole = estimateRequest(request, model);
    const { counted } = open(async () => Math.round(whole / 2), []);
    expect((await counted)?.added).toBeCloseTo(250, -1);
  });

  it('leaves the estimate where the provider does not say', async () => {
    const { counted } = open(() => Promise.reject(new Error('no such route')));
    expect(await counted).toBeUndefined();
    expect(logged).toHaveLength(1);
  });

  it('does not wait for ever, and not at all for a turn that ends', async () => {
    const never = (_request: unknown, signal: AbortSignal) =>
      new Promise<number>((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
    const late = open(never);
    await late.clock.advance(3_000);
    expect(await late.counted).toBeUndefined();
    const ended = open(never);
    ended.lease.end('interrupt');
    await expect(ended.counted).rejects.toBe(ended.lease.signal.reason);
  });
});
