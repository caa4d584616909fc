import { describe, expect, it } from '@jest/globals';
import { sessionNotFound } from '../../session/session-errors.js';
import { beginSession } from './conversations.js';

describe('beginSession', () => {
  const refusal = new Error('refused');

  /** Sessions whose ids are counted. */
  function open(...isNew: boolean[]) {
    const removed: string[] = [];
    const submitted: string[] = [];
    let opened = 0;
    const begin = (answer: (sessionId: string) => string) =>
      beginSession({
        open: async () => ({ sessionId: `sess_${opened}`, isNew: isNew[opened++] ?? false }),
        submit: async (sessionId) => {
          submitted.push(sessionId);
          return answer(sessionId);
        },
        remove: async (id) => void removed.push(id),
      });
    return { begin, removed, submitted };
  }
  const refuse = (): never => {
    throw refusal;
  };

  it('leaves the session of a turn that is taken', async () => {
    const { begin, removed } = open(true);
    expect(await begin((id) => `turn in ${id}`)).toBe('turn in sess_0');
    expect(removed).toEqual([]);
  });

  it('removes a session that was created for a turn that is refused, and no other', async () => {
    const created = open(true);
    await expect(created.begin(refuse)).rejects.toBe(refusal);
    expect(created.removed).toEqual(['sess_0']);
    const found = open(false);
    await expect(found.begin(refuse)).rejects.toBe(refusal);
    expect(found.removed).toEqual([]);
  });

  it('opens a session again that a refused request took away meanwhile, once', async () => {
    const goneAtFirst = (id: string): string => {
      if (id === 'sess_0') throw sessionNotFound(id);
      return id;
    };
    const { begin, removed } = open(false, true);
    expect(await begin(goneAtFirst)).toBe('sess_1');
    expect(removed).toEqual([]);
    const gone = open(false, false, true);
    await expect(
      gone.begin((id) => {
        throw sessionNotFound(id);
      }),
    ).rejects.toMatchObject({ type: 'SESSION_NOT_FOUND' });
    expect(gone.submitted).toEqual(['sess_0', 'sess_1']);
  });
});
