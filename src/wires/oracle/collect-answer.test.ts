import { describe, expect, it } from '@jest/globals';
import { recordedTurns } from '../../../test/golden/golden.js';
import type { OnEvents, TurnEvent } from '../../events/turn-event.js';
import { foldToEnd } from '../chat/turn-streams.js';
import { oracleAnswer } from './collect-answer.js';
import type { OracleAnswerDto } from './oracle.dto.js';

const turns = new Map(recordedTurns());

const inBatches =
  (events: readonly TurnEvent[]) =>
  async (take: OnEvents): Promise<void> => {
    for (let from = 0; from < events.length; from += 3) {
      if (await take(events.slice(from, from + 3))) return;
    }
  };

function answerOf(name: string, explain = false): Promise<OracleAnswerDto | undefined> {
  return foldToEnd(inBatches(turns.get(name) ?? []), oracleAnswer(explain));
}

describe('oracleAnswer', () => {
  it('is the reply, its sources and what it cost', async () => {
    expect(await answerOf('tools-thinking-sources')).toEqual({
      answer: 'It says A.',
      sources: [
        expect.objectContaining({ path: 'a.md', source_type: 'vault', snippet: '# A' }),
        expect.objectContaining({ path: 'Sky' }),
      ],
      tokens_used: 41,
      model_used: 'claude-sonnet-4-20250514',
      context_id: 'sess_1',
      notices: [],
    });
  });

  it('tells what was looked up, where that was asked for', async () => {
    const answer = await answerOf('tools-thinking-sources', true);
    expect(answer?.retrieval_traces).toEqual([
      {
        id: 'c1',
        name: 'read',
        arguments: '{"file_path":"a.md"}',
        status: 'completed',
        result: '# A',
      },
    ]);
  });

  it('keeps what was said about limits, and why the turn ended', async () => {
    const answer = await answerOf('limited-by-iterations');
    expect(answer?.answer).toMatch(/^Looking\. Again\. Nothing found\.\n\n\[Stopped: /);
    expect(answer?.notices.map((notice) => notice.system_type)).toEqual([
      'tool_limit',
      'limit_warning',
      'limit_warning',
      'limit_reached',
    ]);
    expect(answer?.metadata?.termination_reason).toBe('max_iterations');
  });

  it('has what a crash made the turn say again once', async () => {
    expect((await answerOf('recovered-after-a-crash'))?.answer).toBe('I will check.');
  });

  it('has what was said of a turn that was cancelled', async () => {
    expect(await answerOf('interrupted-in-a-tool')).toMatchObject({
      answer: 'Running it.',
      metadata: { termination_reason: 'cancelled' },
    });
  });

  it('throws the failure of a turn', async () => {
    await expect(answerOf('failed-mid-stream')).rejects.toMatchObject({
      type: 'SDK_FAILURE',
      status: 529,
      message: 'The provider is overloaded',
    });
  });

  it('is nothing where the end is missing', async () => {
    const events = turns.get('plain-reply')?.slice(0, -1) ?? [];
    expect(await foldToEnd(inBatches(events), oracleAnswer(false))).toBeUndefined();
  });
});
