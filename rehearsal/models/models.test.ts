import { describe, expect, it } from '@jest/globals';
import { toModelInfo, callableProfile, findProfile, listModels } from './models.js';
import { profiles } from './profiles.js';

const list = (query = '') => listModels(new URLSearchParams(query));
const idsOf = (query: string): string[] => list(query).data.map(({ id }) => id);

describe('listModels', () => {
  it('has the newest first, and no retired ones', () => {
    const { data, has_more, first_id, last_id } = list('limit=1000');
    expect(data[0]).toMatchObject({ id: 'claude-fable-5-2', lifecycle: 'active' });
    expect(data.map(({ created_at }) => created_at)).toEqual(
      data
        .map(({ created_at }) => created_at)
        .toSorted()
        .toReversed(),
    );
    expect(data.every(({ lifecycle }) => lifecycle !== 'retired')).toBe(true);
    expect([has_more, first_id, last_id]).toEqual([false, data[0]?.id, data.at(-1)?.id]);
  });

  it('is read page by page, forth and back', () => {
    const all = idsOf('limit=1000');
    expect(idsOf('limit=3')).toEqual(all.slice(0, 3));
    expect(idsOf(`limit=3&after_id=${all[2]}`)).toEqual(all.slice(3, 6));
    expect(idsOf(`limit=2&before_id=${all[4]}`)).toEqual(all.slice(2, 4));
    expect(list(`limit=2&before_id=${all[4]}`).has_more).toBe(true);
    expect(list(`limit=2&before_id=${all[2]}`).has_more).toBe(false);
    expect(list(`after_id=${all.at(-1)}`)).toMatchObject({ data: [], first_id: null });
  });

  it('has retired models where they are asked for', () => {
    expect(idsOf('lifecycle[]=retired')).toContain('claude-sonnet-4-20250514');
    expect(idsOf('lifecycle=retired&lifecycle=deprecated&limit=99')).toContain(
      'claude-sonnet-4-5-20250929',
    );
  });

  it.each(['limit=0', 'limit=1001', 'limit=x', 'lifecycle=old', 'after_id=claude-x'])(
    'refuses %s',
    (query) => {
      expect(() => list(query)).toThrow(expect.objectContaining({ status: 400 }));
    },
  );
});

describe('profiles', () => {
  it('have ids and aliases of their own', () => {
    const ids = profiles.flatMap(({ id, aliases }) => [id, ...aliases]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('are found by alias', () => {
    expect(findProfile('rehearsal').id).toBe('claude-sonnet-5-5');
    expect(findProfile('claude-haiku-4-5').id).toBe('claude-haiku-4-5-20251001');
  });

  it('can be called unless they are retired', () => {
    for (const { id, lifecycle } of profiles) {
      if (lifecycle === 'retired') expect(() => callableProfile(id)).toThrow(`model: ${id}`);
      else expect(callableProfile(id).id).toBe(id);
    }
  });

  it('say what a model takes in the words of the API', () => {
    expect(toModelInfo(findProfile('claude-sonnet-5-5'))).toMatchObject({
      type: 'model',
      display_name: 'Claude Sonnet 5.5',
      line: 'sonnet',
      max_input_tokens: 1_000_000,
      max_tokens: 128_000,
      deprecated_at: null,
      capabilities: {
        effort: { supported: true, xhigh: { supported: true } },
        thinking: {
          supported: true,
          types: {
            adaptive: { supported: true },
            between_tools: { supported: true },
            disabled: { supported: false },
            enabled: { supported: false },
          },
        },
      },
    });
    expect(toModelInfo(findProfile('claude-sonnet-4-5'))).toMatchObject({
      lifecycle: 'deprecated',
      retires_at: '2026-11-30T00:00:00Z',
      capabilities: { effort: { supported: false } },
    });
  });
});
