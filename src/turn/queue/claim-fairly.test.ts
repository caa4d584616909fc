import { describe, expect, it } from '@jest/globals';
import { newTimeId } from '../../platform/ids.js';
import { claimFairly, type ClaimFairlyDeps } from './claim-fairly.js';

const now = Date.parse('2026-01-01T00:00:00Z');
const fresh = newTimeId('turn', now - 50);
const old = newTimeId('turn', now - 51);

/** `asked` has each request in order: `choose`, or the claim of a turn. */
function open(claimable: string[], fair: string[]) {
  const asked: string[] = [];
  const deps: ClaimFairlyDeps<string> = {
    now,
    choice: {
      next: async () => {
        asked.push('choose');
        return fair.shift();
      },
      done: (turnId) => void asked.push(`done ${turnId}`),
    },
    claim: async (turnId) => {
      asked.push(turnId);
      return claimable.includes(turnId) ? turnId : undefined;
    },
  };
  return { asked, deps };
}

describe('claimFairly', () => {
  it('claims a turn that has just come, and asks nobody', async () => {
    const { asked, deps } = open([fresh, 'fair'], ['fair']);
    expect(await claimFairly({ turnId: fresh, isRecovered: false }, deps)).toBe(fresh);
    expect(asked).toEqual([fresh]);
  });

  it.each([old, 'turn_of-an-earlier-version'])(
    'claims the one that is next in place of one that waited: %s',
    async (turnId) => {
      const { asked, deps } = open([turnId, 'fair'], ['fair']);
      expect(await claimFairly({ turnId, isRecovered: false }, deps)).toBe('fair');
      expect(asked).toEqual(['choose', 'fair', 'done fair']);
    },
  );

  it('chooses again when another process was quicker', async () => {
    const { asked, deps } = open(['second'], ['first', 'second']);
    expect(await claimFairly({ turnId: old, isRecovered: false }, deps)).toBe('second');
    expect(asked).toEqual(['choose', 'first', 'done first', 'choose', 'second', 'done second']);
  });

  it('uses the wake-up of a turn that is gone for one that waits', async () => {
    const { deps } = open(['fair'], ['fair']);
    expect(await claimFairly({ turnId: fresh, isRecovered: false }, deps)).toBe('fair');
  });

  it('claims its own where nothing is queued: its worker may be gone', async () => {
    const { asked, deps } = open([old], []);
    expect(await claimFairly({ turnId: old, isRecovered: false }, deps)).toBe(old);
    expect(asked).toEqual(['choose', old]);
  });

  it('claims its own in the end where others are always quicker', async () => {
    const { asked, deps } = open(
      [old],
      Array.from({ length: 20 }, (_, i) => `taken ${i}`),
    );
    expect(await claimFairly({ turnId: old, isRecovered: false }, deps)).toBe(old);
    expect(asked.filter((what) => what === 'choose')).toHaveLength(8);
  });

  it.each([old, fresh])(
    'gives nobody else the wake-up of one that is recovered',
    async (turnId) => {
      const { asked, deps } = open(['fair'], ['fair']);
      expect(await claimFairly({ turnId, isRecovered: true }, deps)).toBeUndefined();
      expect(asked).toEqual([turnId]);
    },
  );

  it('frees what it chose when the claim fails', async () => {
    const { asked, deps } = open([], ['fair']);
    deps.claim = () => Promise.reject(new Error('the database is away'));
    const claiming = claimFairly({ turnId: old, isRecovered: false }, deps);
    await expect(claiming).rejects.toThrow('away');
    expect(asked).toEqual(['choose', 'done fair']);
  });
});
