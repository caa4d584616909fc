import { somebody } from '../../../test/support/access/somebody.js';
import { beforeAll, expect, it } from '@jest/globals';
import { eq, sql } from 'drizzle-orm';
import { openServerDatabase } from '../../../test/support/database/both-databases.js';
import { expectSoon } from '../../../test/support/expect-soon.js';
import { openTestServices } from '../../../test/support/turn/turn-services.js';
import { readTurn } from '../../../test/support/turn/read-turn.js';
import { approvals } from '../../storage/governance-schema.js';
import { turns } from '../../storage/schema.js';
import type { ToolDefinition } from '../../tools/tool.js';
import { MemoryTurnQueue } from '../queue/turn-queue.js';
import { useShared } from '../../../test/support/suite.js';
import { useDatabase } from '../../../test/support/database/database.js';
import { submit, newSession } from '../../../test/support/turn/submit.js';

let lose: () => void;
/** The attempt that had applied the approval, at each run. */
const notedAtRuns: unknown[] = [];

/** The first run is lost with its worker; each looks for what it is allowed by. */
const deploy: ToolDefinition = {
  name: 'deploy',
  description: 'Never ends the first time.',
  inputSchema: { type: 'object' },
  effect: 'edit',
  retry: 'never',
  open: () => ({
    run: async (_input, { signal }) => {
      const [asked] = await database.db.select().from(approvals);
      notedAtRuns.push(asked === undefined ? 'not asked' : asked.appliedAttempt);
      if (notedAtRuns.length > 1) return 'deployed';
      return new Promise<string>((resolve) => {
        lose = () => resolve('too late');
        signal.addEventListener('abort', lose);
      });
    },
  }),
};

const database = useDatabase(openServerDatabase);
const test = useShared(() => openTestServices(database, [deploy]));
beforeAll(async () => {
  test.config.unknownCalls = 'ask';
});

async function work(): Promise<void> {
  const queue = new MemoryTurnQueue(() => undefined);
  await test.startWorker({ queue });
  await queue.wake();
}

/** The worker waits for one lock, and its other statements are answered for a while. */
async function expectStuck(): Promise<void> {
  const { rows } = await database.db.execute(sql`
    select count(*) filter (where wait_event_type = 'Lock') as stuck,
      count(*) filter (where wait_event_type is distinct from 'Lock' and pid <> pg_backend_pid()
        and state_change > clock_timestamp() - interval '300 milliseconds') as busy
    from pg_stat_activity
    where datname = current_database() and application_name = 'turnpike'`);
  expect(rows).toEqual([{ stuck: '1', busy: '0' }]);
}

it('a lost call does not run again before it is stored that a person allowed it', async () => {
  const { services } = test;
  const sessionId = await newSession(test, { mode: 'acceptEdits' });
  const opts = { tools: ['deploy'], onDisconnect: 'continue' };
  const { turnId } = await submit(test, '[[tool=deploy {}]]', opts, { sessionId });
  await work();
  await expectSoon(() => expect(notedAtRuns).toHaveLength(1));
  const lapsed = { leaseUntil: new Date(0) };
  await database.db.update(turns).set(lapsed).where(eq(turns.id, turnId));
  await work();
  await expectSoon(async () => expect(await database.db.select().from(approvals)).toHaveLength(1));
  const [asked] = await database.db.select().from(approvals);
  const given = {
    decision: 'approve',
    message: undefined,
    input: undefined,
    rule: undefined,
  } as const;
  await services.answerer.answerOne({ approvalId: asked?.id ?? '', given }, somebody('ann'));
  await database.db.transaction(async (tx) => {
    // The store of the approval has to wait for this row.
    await tx.select().from(approvals).for('update');
    await work();
    await expectSoon(expectStuck);
  });
  const [end] = (await readTurn(services.follower, turnId)).slice(-1);
  expect(end).toMatchObject({ type: 'turn.ended', attempt: 3 });
  expect(notedAtRuns).toEqual(['not asked', 3]);
  lose();
  await test.drain();
});
