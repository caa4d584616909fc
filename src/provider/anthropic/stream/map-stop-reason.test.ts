import { describe, expect, it } from '@jest/globals';
import { mapStopReason } from './map-stop-reason.js';

describe('mapStopReason', () => {
  it.each([
    ['end_turn', 'end_turn'],
    ['tool_use', 'tool_use'],
    ['max_tokens', 'max_tokens'],
    ['pause_turn', 'pause_turn'],
    ['refusal', 'refusal'],
    ['stop_sequence', 'stop_sequence'],
    ['model_context_window_exceeded', 'context_window'],
  ])('%s is %s', (wire, ours) => {
    expect(mapStopReason(wire)).toBe(ours);
  });

  it.each([['compaction'], ['toString'], [''], [null], [undefined]])(
    'refuses %j and names it',
    (wire) => {
      expect(() => mapStopReason(wire)).toThrow(
        expect.objectContaining({
          status: 502,
          details: { provider: 'anthropic', category: 'API_RESPONSE_ERROR' },
          message: expect.stringContaining(
            `stop reason ${JSON.stringify(wire ?? null)} is not known`,
          ),
          // A retry would get an unknown reason again.
          retryable: typeof wire !== 'string',
        }),
      );
    },
  );
});
