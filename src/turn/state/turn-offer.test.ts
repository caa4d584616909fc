import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { someOptions } from '../../../test/support/turn/store-turn.js';
import type { OptionResolution, SubagentDecision } from '../../storage/shapes/stored-options.js';
import { hideOffer, offerOf } from './turn-row.js';

const delegation: SubagentDecision = {
  allowed: true,
  gate: 'ALLOW',
  reason: 'All gates are open.',
  evaluationMs: 1,
  allowlistedSubagents: ['A', 'B'],
  delegatedSubagents: ['A'],
};

const anyTurn = fc
  .record({
    tools: fc.array(fc.string()),
    memory: fc.option(fc.boolean(), { nil: undefined }),
    hasClientTool: fc.boolean(),
    from: fc.constantFrom('opts' as const, 'persona' as const, 'default' as const),
    delegatedSubagents: fc.array(fc.string()),
  })
  .map(({ tools, memory, hasClientTool, from, delegatedSubagents }) => {
    const pick = { name: 'pick', description: '', inputSchema: { type: 'object' } };
    const options: OptionResolution = {
      ...someOptions,
      options: {
        ...someOptions.options,
        tools,
        ...(memory === undefined ? {} : { memory }),
        ...(hasClientTool ? { clientTools: [pick] } : {}),
      },
      provenance: { ...someOptions.provenance, tools: from },
    };
    return { options, delegation: { ...delegation, delegatedSubagents } };
  });

describe('the offer of a replay', () => {
  it('is nowhere in what is stored as its options', () => {
    fc.assert(
      fc.property(anyTurn, (turn) => {
        const { options, delegation: decided } = hideOffer(turn).turn;
        expect(options.options).toMatchObject({ tools: [] });
        expect(options.options).not.toHaveProperty('memory');
        expect(options.options).not.toHaveProperty('clientTools');
        // A turn that names its tools has none of those that its agent lists.
        expect(options.provenance.tools).toBe('opts');
        expect(decided.delegatedSubagents).toEqual([]);
      }),
    );
  });

  it('is found again in its request, whole', () => {
    fc.assert(
      fc.property(anyTurn, (turn) => {
        const { turn: stored, offer } = hideOffer(turn);
        const replay = { turnId: 'turn_1', tools: 'recorded' as const, offer };
        expect(offerOf({ ...stored, request: { replay } })).toEqual(turn);
      }),
    );
  });

  it('of a turn that is no replay is in its options', () => {
    const turn = { options: someOptions, delegation };
    expect(offerOf({ ...turn, request: {} })).toEqual(turn);
  });
});
