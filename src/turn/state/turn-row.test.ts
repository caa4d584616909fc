import { describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import * as fc from 'fast-check';
import { openServerDatabase } from '../../../test/support/database/both-databases.js';
import { storeSession, someOptions } from '../../../test/support/turn/store-turn.js';
import { batchPool } from '../../storage/statements.js';
import type { SubagentDecision } from '../../storage/shapes/stored-options.js';
import { findSessionAndTurn, offerOf } from './turn-row.js';
import { useDatabase } from '../../../test/support/database/database.js';

describe('the look-up of a session', () => {
  const server = useDatabase(openServerDatabase);

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

describe('the tools of a replay', () => {
  it('are in its options, as those of any turn', () => {
    const turn = { options: someOptions, delegation };
    const replay = { turnId: 'turn_1', tools: 'recorded' as const };
    expect(offerOf({ ...turn, request: {} })).toEqual(turn);
    expect(offerOf({ ...turn, request: { replay } })).toEqual(turn);
  });

  it('are in its request, where its options leave them out', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.string()), (tools, delegatedSubagents) => {
        const offer = { tools, toolsFrom: 'persona' as const, memory: true, delegatedSubagents };
        const request = { replay: { turnId: 'turn_1', tools: 'recorded' as const, offer } };
        const { options, provenance } = someOptions;
        expect(offerOf({ options: someOptions, delegation, request })).toEqual({
          options: {
            ...someOptions,
            options: { ...options, tools, memory: true },
            provenance: { ...provenance, tools: 'persona' },
          },
          delegation: { ...delegation, delegatedSubagents },
        });
      }),
    );
  });
});
