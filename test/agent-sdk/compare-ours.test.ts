import { describe, expect, it } from '@jest/globals';
import type { AgentSdk, Message, Query } from './agent-sdk.js';
import type { Group } from './case.js';
import { hooks } from './cases/hooks.js';
import { order } from './cases/order.js';
import { compareOutcomes } from './compare-outcomes.js';
import { compareOurs, type Side } from './compare-ours.js';

/** An SDK that answers every prompt alike: enough to see what the comparison says. */
function sdkThatYields(messages: readonly Message[]): AgentSdk {
  const missing = (): never => {
    throw new Error('This SDK only queries.');
  };
  async function* read(): AsyncGenerator<Message, void> {
    yield* messages;
  }
  const query = (): Query =>
    Object.assign(read(), {
      interrupt: missing,
      setModel: missing,
      setPermissionMode: missing,
    });
  return {
    query,
    tool: missing,
    createSdkMcpServer: missing,
    listSessions: missing,
    getSessionInfo: missing,
    getSessionMessages: missing,
    forkSession: missing,
    renameSession: missing,
    deleteSession: missing,
  };
}

const ofText: Message[] = [
  { type: 'system', subtype: 'init' },
  { type: 'assistant', message: { content: [{ type: 'text', text: 'Hello.' }] } },
  { type: 'result', subtype: 'success' },
];

const sideOf = (messages: readonly Message[]): Side => ({
  open: async () => ({ sdk: sdkThatYields(messages), close: async () => {} }),
});

const only = (group: Group, ...names: string[]): Group[] => [
  { ...group, cases: group.cases.filter(({ name }) => names.includes(name)) },
];

describe('comparing ours with what the real SDK gave', () => {
  it('tells equal cases from those that differ, and says where', async () => {
    const compared = await compareOurs(
      sideOf(ofText),
      only(order, 'a text alone', 'thinking before a text'),
    );
    expect(compared).toEqual([
      { group: 'order', name: 'a text alone', verdict: 'equal', differences: [] },
      {
        group: 'order',
        name: 'thinking before a text',
        verdict: 'untold',
        differences: [
          {
            aspect: 'order',
            says: 'order[0][1] is "assistant text"; the real one has "assistant thinking"',
          },
          {
            aspect: 'order',
            says: 'order[0][2] is "result success"; the real one has "assistant text"',
          },
          {
            aspect: 'order',
            says: 'order[0][3] is not there; the real one has "result success"',
          },
        ],
      },
    ]);
  });

  it('holds a told difference to the aspects that are told', async () => {
    const [compared] = await compareOurs(sideOf(ofText), only(hooks, 'a hook that throws'));
    expect(compared?.verdict).toBe('untold');
    expect(new Set(compared?.differences.map(({ aspect }) => aspect))).toEqual(new Set(['hooks']));
  });

  it('compares lists in their order, and keys without one', () => {
    expect(compareOutcomes({ end: { a: 1, b: [1, 2] } }, { end: { b: [1, 2], a: 1 } })).toEqual([]);
    expect(compareOutcomes({ end: [1, 2] }, { end: [2, 1] })).toHaveLength(2);
    expect(compareOutcomes({}, { failed: 'Error' })).toEqual([
      { aspect: 'failed', says: 'failed is "Error"; the real one has not there' },
    ]);
  });
});
