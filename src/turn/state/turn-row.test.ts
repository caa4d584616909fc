import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import * as fc from 'fast-check';
import { openServerDatabase } from '../../../test/support/database/both-databases.js';
import { storeSession, someOptions } from '../../../test/support/turn/store-turn.js';
import { batchPool } from '../../storage/statements.js';
import type { OpenedDatabase } from '../../storage/connection.js';
import type { OptionResolution, SubagentDecision } from '../../storage/shapes/stored-options.js';
import { findSessionAndTurn, hideOffer, offerOf } from './turn-row.js';

describe('the look-up of a session', () => {
  let server: OpenedDatabase;
  beforeAll(async () => {
    server = await openServerDatabase();
  });
  afterAll(() => server.close());

  /** Times that the connection of look-ups has read the whole table, which no other connection does here. */
  const wholeReads = async (): Promise<unknown> => {
    const lane = batchPool(server.db);
    await lane.execute(sql`select pg_stat_force_next_flush()`);
    const { rows } = await lane.execute(
      sql`select seq_scan::integer as scans from pg_stat_user_tables where relname = 'sessions'`,
    );
    return rows;
  };

  it('reads one row, though it was planned for a small table', async () => {
    const sessionId = await storeSession(server.db);
    const before = await wholeReads();
    for (let count = 0; count < 3; count += 1) await findSessionAndTurn(server.db, sessionId);
    expect(await wholeReads()).toEqual(before);
  });
});

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
