import { Inject, Injectable } from '@nestjs/common';
import { and, eq } from 'drizzle-orm';
import { AuditLog } from '../access/audit-log.js';
import { CONFIG } from '../config/config.js';
import { FencedError } from '../events/event-log.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { DATABASE, type Database, type Queryable } from '../storage/connection.js';
import { turns } from '../storage/schema.js';
import { toolCalls } from '../storage/transcript-schema.js';
import { decideCommand } from './commands/decide-command.js';
import {
  type MemoryCommand,
  type MemoryResult,
  type MemoryChange,
  type MemoryFile,
  type MemoryOutcome,
  quotaOf,
  type QuotaConfig,
} from './commands/memory-command.js';
import {
  describeChange,
  hasMaxMemories,
  loadFiles,
  loadSeen,
  lockMemory,
  MAX_MEMORIES,
  storeChange,
  storeSeen,
  type MemoryKey,
} from './memory-rows.js';

/** A tool call of a turn's attempt, and the memory that it is about. */
export interface MemoryCall extends MemoryKey {
  turnId: string;
  attempt: number;
  callId: string;
  sessionId: string;
}

const tooManyMemories: MemoryOutcome = {
  status: 'error',
  output: `MEMORY_FULL: nothing was written: there are memories of ${MAX_MEMORIES} agents already. Go on without one.`,
};

/** Runs commands of turns on their memories. */
@Injectable()
export class TurnMemory {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: QuotaConfig,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Runs a call once, however often it is tried: in one transaction, the files change, the ledger has what the call
   * came to, and the audit log who wrote. A call whose outcome is in the ledger does nothing more.
   *
   * @throws FencedError where the attempt no longer owns the turn; what the database threw.
   */
  run(call: MemoryCall, command: MemoryCommand): Promise<MemoryResult> {
    return this.db.transaction(async (tx) => {
      await assertOwned(tx, call);
      const known = await loadOutcome(tx, call);
      if (known !== undefined) return known;
      const isWrite = command.command !== 'view';
      const revision = isWrite ? (await lockMemory(tx, call)) + 1 : 0;
      const files = await loadFiles(tx, call, command.path);
      const seen = await loadSeen(tx, call);
      const quota = quotaOf(this.config);
      const isRefused = files.size === 0 && isWrite && (await hasMaxMemories(tx, call));
      const {
        change,
        shown = [],
        ...outcome
      } = isRefused ? tooManyMemories : decideCommand(command, { files, seen, quota });
      const now = new Map(shown.map((path) => [path, files.get(path)?.version]));
      if (change === undefined) {
        await storeSeen(tx, call, now);
      } else {
        const at = new Date(this.clock.now());
        await storeChange(tx, call, { change, revision, writer: { ...call, at } });
        await storeSeen(tx, call, seenAfter(change, seen, revision));
        await this.#note(tx, call, change);
      }
      if (isWrite) await storeOutcome(tx, call, outcome);
      return outcome;
    });
  }

  #note(tx: Queryable, { principalId, agent, turnId }: MemoryCall, change: MemoryChange) {
    const details = { agent, turnId, ...describeChange(change) };
    const by = { id: principalId };
    return this.audit.write({ by, action: 'memory.changed', subject: agent, details }, tx);
  }
}

/** The fence: the turn's row, locked, so that the turn does not end and no other attempt begins before the commit. */
async function assertOwned(tx: Queryable, { turnId, attempt }: MemoryCall): Promise<void> {
  const found = await tx
    .select({ id: turns.id })
    .from(turns)
    .where(and(eq(turns.id, turnId), eq(turns.attempt, attempt), eq(turns.status, 'running')))
    .for('no key update');
  if (found.length === 0) throw new FencedError(turnId, attempt);
}

function ofCall({ turnId, callId }: MemoryCall) {
  return and(eq(toolCalls.turnId, turnId), eq(toolCalls.callId, callId));
}

async function loadOutcome(tx: Queryable, call: MemoryCall): Promise<MemoryResult | undefined> {
  const { outcome, output } = toolCalls;
  const [stored] = await tx.select({ outcome, output }).from(toolCalls).where(ofCall(call));
  if (stored === undefined || stored.outcome === null) return undefined;
  return { status: stored.outcome, output: stored.output ?? '' };
}

async function storeOutcome(
  tx: Queryable,
  call: MemoryCall,
  { status: outcome, output }: MemoryResult,
): Promise<void> {
  await tx.update(toolCalls).set({ outcome, output }).where(ofCall(call));
}

/** What a session's model knows after a change of its own. */
function seenAfter(
  change: MemoryChange,
  seen: ReadonlyMap<string, MemoryFile['version']>,
  revision: number,
): Map<string, number | undefined> {
  switch (change.type) {
    case 'write':
      return new Map([[change.path, revision]]);
    case 'remove':
      return new Map(change.paths.map((path) => [path, undefined]));
    case 'move':
      return new Map(
        change.moves.flatMap(({ from, to }): [string, number | undefined][] => [
          [from, undefined],
          [to, seen.has(from) ? revision : undefined],
        ]),
      );
  }
}
