import { describe, expect, it } from '@jest/globals';
import { ModelCatalogue } from '../../provider/model-catalogue.js';
import { viewModel } from '../../provider/models/view-model.js';
import {
  describeListedAgent,
  describeListedModel,
  describeListedSession,
} from './describe-listed.js';

describe('a line of turnpike sessions', () => {
  const session = {
    sessionId: 'sess_1',
    projectRoot: '/home/me/project',
    persona: 'WORKING_ITEMS',
    mode: 'direct',
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-02T03:04:05.000Z',
  };

  it.each([
    [{}, 'sess_1  2026-01-02 03:04  WORKING_ITEMS  /home/me/project'],
    [
      { title: 'Say\u001b[2J it', activeTurnId: 'turn_1' },
      'sess_1  2026-01-02 03:04  WORKING_ITEMS  /home/me/project  "Say it"  ● turn_1',
    ],
  ])('has what is known: %j', (more, line) => {
    expect(describeListedSession({ ...session, ...more })).toBe(line);
  });
});

describe('a line of turnpike agents', () => {
  const agent = {
    name: 'helper',
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
    [{}, 'helper'],
    [{ description: 'Helps.\nA lot.', tools: [] }, 'helper  Helps. A lot.  (no tools)'],
    [{ model: 'claude-x', tools: ['read', 'bash'] }, 'helper  (claude-x; read,bash)'],
  ])('has what is known: %j', (more, line) => {
    expect(describeListedAgent({ ...agent, ...more })).toBe(line);
  });
});

describe('a line of turnpike models', () => {
  const [model] = new ModelCatalogue().list().map(viewModel);
  if (model === undefined) throw new Error('There is no model');
  const rest = {
    id: 'm',
    contextWindow: 200_000,
    maxOutput: 64_000,
    price: { input: 1, output: 5 },
  };

  it.each([
    [rest, 'm  200K window, 64K reply  $1 in, $5 out'],
    [
      { ...rest, id: 'd', contextWindow: 1_000_000 },
      'd  1M window, 64K reply  $1 in, $5 out  (default)',
    ],
    [
      { ...rest, lifecycle: 'deprecated' as const, retiresAt: '2026-11-30' },
      'm  200K window, 64K reply  $1 in, $5 out  (deprecated, retires 2026-11-30)',
    ],
  ])('has what is known: %j', (more, line) => {
    expect(describeListedModel({ ...model, ...more }, 'd')).toBe(line);
  });

  it('says that a price is not known', () => {
    const { price: _price, ...free } = model;
    expect(describeListedModel(free, 'd')).toContain('price not known');
  });
});
