import { expect } from '@jest/globals';
import type { ReadFrame } from './read-stream.js';

/**
 * Expects one reader's frames over crashes: in order, without repeats, with one end as the last.
 */
export function expectWhole(frames: readonly ReadFrame[]): void {
  const cursors = frames.map((frame) => {
    const [attempt = 0, seq = 0, part = 0] = (frame.id.split(':')[1] ?? '').split('.').map(Number);
    return attempt * 1e12 + seq * 1e3 + part;
  });
  expect(cursors).toEqual([...new Set(cursors)].sort((a, b) => a - b));
  expect(frames.filter((frame) => frame.event === 'process:exit')).toHaveLength(1);
  expect(frames.at(-1)?.event).toBe('process:exit');
}

/** The reply in its deltas, without those of discarded steps. */
export function textOf(frames: readonly ReadFrame[]): string {
  let text = '';
  let step = '';
  for (const { event, data } of frames) {
    if (event === 'step:start') step = '';
    if (event === 'chat:delta') step += String(data['text']);
    if (event === 'step:discard') step = '';
    if (event === 'step:end') {
      text += step;
      step = '';
    }
  }
  return text;
}

/** The whole reply as the server reports it at the end. */
export function completeText(frames: readonly ReadFrame[]): unknown {
  return frames.find((frame) => frame.event === 'chat:complete')?.data['text'];
}
