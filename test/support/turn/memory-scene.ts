import { eq } from 'drizzle-orm';
import { AuditLog } from '../../../src/access/audit-log.js';
import {
  parseMemoryCommand,
  type MemoryCommand,
  type MemoryResult,
} from '../../../src/memory/commands/memory-command.js';
import { TurnMemory, type MemoryCall } from '../../../src/memory/turn-memory.js';
import { systemClock } from '../../../src/platform/clock.js';
import { newId } from '../../../src/platform/ids.js';
import type { JsonObject } from '../../../src/platform/json.js';
import type { Database } from '../../../src/storage/connection.js';
import { memoryFiles } from '../../../src/storage/file-schema.js';
import { toolCalls } from '../../../src/storage/transcript-schema.js';
import { storeSession, storeTurn } from './store-turn.js';

const quota = { memoryFiles: 1_000, memoryFileBytes: 1_000_000, memoryBytes: 10_000_000 };

/** Running turns, each of a session of its own, that share the memory of a principal and an agent. */
export class MemoryScene {
  readonly memory: TurnMemory;

  constructor(
    readonly db: Database,
    readonly principalId: string,
    limits: Partial<typeof quota> = {},
  ) {
    const audit = new AuditLog(db, systemClock);
    this.memory = new TurnMemory(db, systemClock, { ...quota, ...limits }, audit);
  }

  /** Stores a running turn. @returns runs commands as its calls. */
  async openTurn(): Promise<MemoryTurn> {
    const sessionId = await storeSession(this.db);
    const turnId = await storeTurn(this.db, {
      sessionId,
      status: 'running',
      attempt: 1,
      principalId: this.principalId,
    });
    return new MemoryTurn(this, { sessionId, turnId });
  }

  /** Claims a call in the ledger. @returns its id. */
  async claim(turnId: string): Promise<string> {
    const callId = newId('toolu');
    const facts = { step: 1, attempt: 1, name: 'memory', input: {}, claimedAt: new Date() };
    await this.db.insert(toolCalls).values({ turnId, callId, status: 'claimed', ...facts });
    return callId;
  }

  /** The stored files, content by path. */
  async files(): Promise<Map<string, string>> {
    const rows = await this.db
      .select()
      .from(memoryFiles)
      .where(eq(memoryFiles.principalId, this.principalId));
    return new Map(rows.map(({ path, content }) => [path, content]));
  }
}

/** A running turn with a memory. */
export class MemoryTurn {
  constructor(
    private readonly scene: MemoryScene,
    readonly ids: { sessionId: string; turnId: string },
  ) {}

  /** Runs an input as the next call. */
  async run(input: JsonObject): Promise<MemoryResult> {
    const command = parseMemoryCommand(input);
    if ('problem' in command) return { status: 'error', output: command.problem };
    return this.runCall(await this.scene.claim(this.ids.turnId), command);
  }

  /** Runs a call that was claimed, again maybe. */
  runCall(
    callId: string,
    command: MemoryCommand,
    more: Partial<MemoryCall> = {},
  ): Promise<MemoryResult> {
    const { principalId, memory } = this.scene;
    const call = { ...this.ids, principalId, agent: 'WORKING_ITEMS', attempt: 1, callId, ...more };
    return memory.run(call, command);
  }
}
