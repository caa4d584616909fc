import { describe, expect, it } from '@jest/globals';
import { recordedTurns } from '../../../test/golden/golden.js';
import type { OnEvents, TurnEvent, TurnEventBody } from '../../events/turn-event.js';
import { foldToEnd } from '../chat/turn-streams.js';
import { agentAnswer } from './collect-answer.js';
import type { ChatAnswerDto } from './named-agents.dto.js';

const turns = new Map(recordedTurns());
const ids = { sessionId: '01ARZ3NDEKTSV4RRFFQ69G5FAV', messageId: '01ARZ3NDEKTSV4RRFFQ69G5FAW' };

const inBatches =
  (events: readonly TurnEvent[]) =>
  async (take: OnEvents): Promise<void> => {
    for (let from = 0; from < events.length; from += 3) {
      if (await take(events.slice(from, from + 3))) return;
    }
  };

function answerOf(name: string): Promise<ChatAnswerDto | undefined> {
  return foldToEnd(inBatches(turns.get(name) ?? []), agentAnswer(ids));
}

describe('agentAnswer', () => {
  it('is the reply and what it cost', async () => {
    expect(await answerOf('plain-reply')).toEqual({
      message_id: ids.messageId,
      content: 'Hello\nthere',
      session_id: ids.sessionId,
      tokens_used: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
      execution_time_ms: 1_200,
    });
  });

  it('has the calls and what was cited', async () => {
    expect(await answerOf('tools-thinking-sources')).toMatchObject({
      content: 'It says A.',
      tool_calls: [{ name: 'read', arguments: { file_path: 'a.md' }, status: 'success' }],
      sources: [expect.objectContaining({ title: 'a.md', cited_text: '# A' }), expect.anything()],
    });
  });

  it('has the limit, and a call that was cut off without its arguments', async () => {
    const answer = await answerOf('limited-by-iterations');
    expect(answer?.content).toMatch(/^Looking\. Again\. Nothing found\.\n\n\[Stopped: /);
    expect(answer?.limit).toEqual({
      reason: 'max_turns',
      message: 'Maximum iterations reached (3/3). Saving partial response.',
    });
    expect(answer?.tool_calls?.at(-1)).toEqual({ name: 'read', status: 'error' });
  });

  it('has what a crash made the turn say again once', async () => {
    expect(await answerOf('recovered-after-a-crash')).toMatchObject({
      content: 'I will check.',
      tool_calls: [{ name: 'bash', arguments: { command: 'make' }, status: 'error' }],
    });
  });

  it('has no call of a step that was discarded', async () => {
    const bodies: TurnEventBody[] = [
      { type: 'step.started', step: 1 },
      { type: 'tool.requested', step: 1, callId: 'lost', name: 'read' },
      { type: 'step.discarded', step: 1 },
    ];
    const end = turns.get('plain-reply')?.at(-1);
    const events = bodies.map((body, seq) => ({ ...body, attempt: 1, seq, at: '' }));
    const answer = await foldToEnd(inBatches([...events, ...(end ? [end] : [])]), agentAnswer(ids));
    expect(answer).toBeDefined();
    expect(answer?.tool_calls).toBeUndefined();
  });

  it.each([
    ['failed-mid-stream', 'SDK_FAILURE', 529, /overloaded/],
    ['interrupted-in-a-tool', 'INTERRUPTED', 499, /interrupted/],
  ])('throws the end of a turn: %s', async (name, type, status, words) => {
    const message = expect.stringMatching(words);
    await expect(answerOf(name)).rejects.toMatchObject({ type, status, message });
  });

  it('is nothing where the end is missing', async () => {
    const events = turns.get('plain-reply')?.slice(0, -1) ?? [];
    expect(await foldToEnd(inBatches(events), agentAnswer(ids))).toBeUndefined();
  });
});
