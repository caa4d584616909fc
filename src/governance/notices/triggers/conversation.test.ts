import { describe, expect, it } from '@jest/globals';
import { someFacts } from '../../../../test/support/turn/some-facts.js';
import type { Todo } from '../../../storage/shapes/stored-step.js';
import { backgroundResult, compactSummary, filesKept, sessionStart } from './conversation.js';

const done: Todo = { id: 'a', content: 'Read it', status: 'completed' };
const doing: Todo = { id: 'b', content: 'Write it', status: 'in_progress' };
const open: Todo = { id: 'c', content: 'Test it', status: 'pending' };

describe('session-start', () => {
  it.each<[string, boolean, Todo[], number]>([
    ['the first message, with open todos', true, [done, doing, open], 1],
    ['the first message, with nothing open', true, [done], 0],
    ['the first message, with no todos', true, [], 0],
    ['a later message', false, [open], 0],
  ])('%s', (_name, isFirstMessage, todos, times) => {
    const facts = someFacts({ at: 'message', step: 0, isFirstMessage, todos });
    expect(sessionStart.check(facts)).toHaveLength(times);
  });

  it('names the open todos only', () => {
    const facts = someFacts({ isFirstMessage: true, todos: [done, doing, open] });
    expect(sessionStart.check(facts)).toEqual([
      {
        mark: 'session-start',
        kind: 'session-start',
        text: 'This session begins with open todos:\n- [in_progress] Write it\n- [pending] Test it',
        metadata: { todos: 2 },
        seenByModel: true,
      },
    ]);
  });

  it('is not looked at between steps', () => {
    expect(sessionStart.levels).toEqual(['message']);
  });
});

describe('files-kept', () => {
  it.each([
    [
      { paths: ['a.txt'], more: 2, ranCommands: true },
      'Files were not reverted. These files were written there:\n\n- a.txt\n- and 2 more\n\nCommands ran there too, and may have changed other files. Read a file again before you rely on what it was.',
    ],
    [
      { paths: [], more: 0, ranCommands: false, mcpTools: ['mcp__a__b'] },
      'Files were not reverted. These tools ran there, and may have changed files and what they reach: mcp__a__b. Read a file again before you rely on what it was.',
    ],
  ])('of %j', (written, text) => {
    const [notice] = filesKept.check(someFacts({ written }));
    expect(notice?.text.replace(/^.*? is not in it\. /, '')).toBe(text);
  });
});

describe('compact-summary', () => {
  it('gives the summary, with a mark of its compaction', () => {
    const compaction = { id: 'cmp_1', summary: 'The user wants a parser.' };
    expect(compactSummary.check(someFacts({ compaction }))).toMatchObject([
      {
        mark: 'compact-summary:cmp_1',
        text: expect.stringContaining('\n\nThe user wants a parser.'),
        metadata: { compactionId: 'cmp_1' },
        seenByModel: true,
      },
    ]);
  });

  it('says nothing where nothing was compacted, and nothing between steps', () => {
    expect(compactSummary.check(someFacts())).toEqual([]);
    expect(compactSummary.levels).toEqual(['message']);
  });
});

describe('background-result', () => {
  it('says every item, with a mark each', () => {
    const background = [
      { id: 'apr_1', text: 'The call was approved.' },
      { id: 'apr_2', text: 'The call was denied.' },
    ];
    const due = backgroundResult.check(someFacts({ background }));
    expect(due.map(({ mark, text }) => [mark, text])).toEqual([
      ['background-result:apr_1', 'The call was approved.'],
      ['background-result:apr_2', 'The call was denied.'],
    ]);
    expect(backgroundResult.check(someFacts())).toEqual([]);
  });
});
