import { describe, expect, it } from '@jest/globals';
import { ModelCatalogue } from '../../provider/model-catalogue.js';
import { viewModel } from '../../options/model-list.dto.js';
import { linesOfTable } from '../render/table.js';
import { tableOfAgents, tableOfSessions } from './list-command.js';
import { tableOfModels } from './models-command.js';

describe('turnpike sessions', () => {
  const session = {
    sessionId: 'sess_1',
    projectRoot: '/home/me/project',
    persona: 'WORKING_ITEMS',
    mode: 'direct',
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-02T03:04:05.000Z',
  };
  const titled = { ...session, sessionId: 's', title: 'Say\u001b[2J "it"', activeTurnId: 'turn_1' };

  it('aligns what is known below a head, in a pipe too', () => {
    expect(linesOfTable(tableOfSessions([session, titled]), undefined)).toEqual([
      'SESSION  TITLE     USED (UTC)        AGENT          RUNNING TURN  FOLDER',
      'sess_1             2026-01-02 03:04  WORKING_ITEMS                /home/me/project',
      's        Say "it"  2026-01-02 03:04  WORKING_ITEMS  turn_1        /home/me/project',
    ]);
  });

  it('has the titles of agents', () => {
    const titles = new Map([['WORKING_ITEMS', 'Assistant']]);
    expect(tableOfSessions([titled], titles).rows[0]).toContain('Assistant');
  });

  it('has lines of a terminal’s width', () => {
    expect(linesOfTable(tableOfSessions([titled]), 43)).toEqual([
      'SESSION  TITLE     USED (UTC)        AGENT',
      's        Say "it"  2026-01-02 03:04  WORKIN',
    ]);
  });
});

describe('turnpike agents', () => {
  const agent = {
    name: 'helper',
    title: null,
    file: 'agents/helper.md',
    description: null,
    model: null,
    tools: null,
    limits: {},
    subagents: [],
    decision_tree: 'default',
    type: null,
  };

  it.each([
    [{}, ['helper', '', 'default', 'default', '']],
    [
      { description: 'Helps.\nA lot.', tools: [] },
      ['helper', '', 'default', 'none', 'Helps. A lot.'],
    ],
    [{ model: 'claude-x', tools: ['read', 'bash'] }, ['helper', '', 'claude-x', 'read,bash', '']],
    [{ title: 'Helper' }, ['helper', 'Helper', 'default', 'default', '']],
  ])('has what is known: %j', (more, row) => {
    expect(tableOfAgents([{ ...agent, ...more }]).rows).toEqual([row]);
  });
});

describe('turnpike models', () => {
  const [model] = new ModelCatalogue().list().map(viewModel);
  if (model === undefined) throw new Error('There is no model');
  const rest = {
    id: 'm',
    contextWindow: 200_000,
    maxOutput: 64_000,
    price: { input: 1, output: 5 },
  };
  const retiring = { lifecycle: 'deprecated' as const, retiresAt: '2026-11-30' };

  it.each([
    [rest, ['m', '200K', '64K', '1 / 5', '']],
    [{ ...rest, id: 'd', contextWindow: 1_000_000 }, ['d', '1M', '64K', '1 / 5', 'default']],
    [{ ...rest, ...retiring }, ['m', '200K', '64K', '1 / 5', 'deprecated, retirement 2026-11-30']],
  ])('has what is known: %j', (more, row) => {
    expect(tableOfModels([{ ...model, ...more }], 'd').rows).toEqual([row]);
  });

  it('says that a price is not known', () => {
    const { price: _price, ...free } = model;
    expect(tableOfModels([free], 'd').rows[0]?.[3]).toBe('not known');
  });
});
