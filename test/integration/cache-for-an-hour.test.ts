import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { startRehearsal } from '../../rehearsal/start-rehearsal.js';
import { costOf } from '../../src/governance/limits/cost.js';
import { systemClock } from '../../src/platform/clock.js';
import { AnthropicProvider } from '../../src/provider/anthropic/anthropic-provider.js';
import type { ModelEvent, ModelMessage, ModelRequest } from '../../src/provider/model-types.js';
import { knownModels } from '../../src/provider/models/known-models.js';
import { plainTracing } from '../support/tracing/plain-tracing.js';

const MINUTE_MS = 60_000;
const model = 'claude-opus-5-5';
const price = knownModels.find(({ id }) => id === model)?.price ?? { input: 0, output: 0 };
const words = (count: number): string => 'All work and no play makes a dull day. '.repeat(count);

/** The dollars of an hour's conversation in which somebody approves a call every so many minutes. */
async function costOfHour(everyMinutes: number, cacheFor: '1h' | undefined): Promise<number> {
  let now = 0;
  const rehearsal = await startRehearsal({ clock: { now: () => now, after: systemClock.after } });
  const provider = new AnthropicProvider(
    {
      mode: 'rehearsal',
      baseUrl: rehearsal.url,
      apiKey: undefined,
      egressAllow: [],
      stallTimeoutMs: 60_000,
      requestTimeoutMs: 60_000,
      maxRetries: 0,
    },
    systemClock,
    plainTracing,
  );
  const messages: ModelMessage[] = [];
  let usd = 0;
  try {
    for (let at = 0; at < 60; at += everyMinutes) {
      now = at * MINUTE_MS;
      messages.push({
        role: 'user',
        parts: [{ type: 'text', text: `Result ${at}. ${words(30)}` }],
      });
      const request: ModelRequest = {
        model,
        // About 10,000 tokens, as an agent with its tools has.
        system: words(1_000),
        messages: [...messages],
        tools: [],
        maxTokens: 500,
        ...(cacheFor === undefined || at === 0 ? {} : { cacheFor }),
      };
      const events: ModelEvent[] = [];
      await provider
        .stream(request, new AbortController().signal)
        .read((batch) => void events.push(...batch));
      const last = events.at(-1);
      if (last?.type !== 'ended') throw new Error('The rehearsal did not end its reply');
      usd += costOf(last.usage, price);
      const parts = events.flatMap((event) => (event.type === 'part.ended' ? [event.part] : []));
      messages.push({ role: 'assistant', parts });
    }
    return usd;
  } finally {
    await rehearsal.close();
  }
}

const page = readFileSync(new URL('../../docs/guide/models.md', import.meta.url), 'utf8');

describe('a conversation in which people are waited for', () => {
  it.each([
    [6, '30 % of what it did\nwith an answer every six minutes'],
    [10, '47 % with one every ten'],
    [4, '113 % with one every four'],
  ])(
    'costs with an hour of cache what the page says: an answer each %i minutes',
    async (every, said) => {
      const [five, hour] = await Promise.all([
        costOfHour(every, undefined),
        costOfHour(every, '1h'),
      ]);
      expect(said).toContain(`${Math.round((hour * 100) / five)} %`);
      expect(page).toContain(said);
    },
  );
});
