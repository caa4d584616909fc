import { existsSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { systemClock } from '../../src/platform/clock.js';
import { approvalAnswers, approvals } from '../../src/storage/governance-schema.js';
import { turns } from '../../src/storage/schema.js';
import { toolCalls } from '../../src/storage/transcript-schema.js';
import { askForWrite, decide, findAwaited } from '../support/access/approvers.js';
import { KeyedClient, makeKey } from '../support/clients/keyed-client.js';
import { untilWriteWaits } from '../support/database/until-write-waits.js';
import { expectSoon } from '../support/expect-soon.js';
import { useDeployment } from '../support/processes/start-deployment.js';

describe('kill -9 between the answers of a quorum', () => {
  const { deployment, database } = useDeployment();
  const keys = new Map<string, string>();
  beforeAll(async () => {
    const { db } = database;
    for (const principal of ['owner', 'ben', 'cleo']) {
      const approves = principal === 'owner' ? [] : ['release'];
      const wanted = { principal, scopes: ['turns', 'approvals'], approves };
      keys.set(principal, (await makeKey({ db, clock: systemClock }, wanted)).secret);
    }
  });

  it('keeps the answers that were stored, and the call runs once, by all of them', async () => {
    const { db } = database;
    const { projectRoot } = deployment;
    const more = { TURNPIKE_PROJECT_ROOT: projectRoot };
    const of = (url: string, name: string) => new KeyedClient(url, keys.get(name));
    const counts = async () => ({
      answers: await db.$count(approvalAnswers),
      decided: await db.$count(approvals, sql`decision is not null`),
      noted: await db.$count(sql`audit_log`, sql`action = 'approval.answered'`),
    });

    const asking = await deployment.start('api', more);
    const worker = await deployment.start('worker', more);
    const rule = { by: ['release'], count: 2, notRequester: true };
    const asked = { projectRoot, file: 'by-quorum.txt', rule };
    const turn = await askForWrite(of(asking.url, 'owner'), asked);
    const { approvalId } = await findAwaited(of(asking.url, 'ben'), turn.file);
    // The turn waits with no worker.
    await worker.kill('SIGKILL');

    /** Kills an API whose answer is stored up to its audit entry, and no further. */
    const killInAnswer = async (name: string): Promise<void> => {
      const dying = await deployment.start('api', more);
      await db.transaction(async (tx) => {
        await tx.execute(sql`lock table audit_log in share mode`);
        const answer = decide(of(dying.url, name), approvalId, 'approve').catch(() => 'cut');
        await untilWriteWaits(db, 'audit_log');
        await dying.kill('SIGKILL');
        expect(await answer).toBe('cut');
      });
    };

    await killInAnswer('ben');
    expect(await counts()).toEqual({ answers: 0, decided: 0, noted: 0 });
    const first = await decide(of(asking.url, 'ben'), approvalId, 'approve');
    expect([first.status, await counts()]).toEqual([200, { answers: 1, decided: 0, noted: 1 }]);
    await asking.kill('SIGKILL');
    expect(await turn.ended).toBe('cut');

    await killInAnswer('cleo');
    expect(await counts()).toEqual({ answers: 1, decided: 0, noted: 1 });
    const next = await deployment.start('api', more);
    const last = await decide(of(next.url, 'cleo'), approvalId, 'approve');
    expect([last.status, await counts()]).toEqual([200, { answers: 2, decided: 1, noted: 2 }]);
    // Decided, and no worker has it yet.
    await next.kill('SIGKILL');

    await deployment.start('worker', more);
    await expectSoon(async () => {
      expect(await db.select({ status: turns.status }).from(turns)).toEqual([
        { status: 'completed' },
      ]);
    });
    const calls = await db.select().from(toolCalls);
    expect(calls).toMatchObject([{ name: 'write', status: 'success' }]);
    expect(existsSync(path.join(projectRoot, turn.file))).toBe(true);
    const [approval] = await db.select().from(approvals);
    expect(approval).toMatchObject({ decision: 'approve', decidedBy: 'approvers' });
  });
});
