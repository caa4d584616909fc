import type { TurnMemory } from '../../memory/turn-memory.js';
import { retry, type RetryDelays } from '../../platform/face.js';
import { isDatabaseDown } from '../../storage/database-errors.js';
import { MEMORY_TOOL, type MemoryAccess, type ToolRegistry } from '../../tools/face.js';
import type { Attempt, ToolSource } from '../../turn/face.js';

/** The delays between the tries of a call that the database did not answer. */
const retryDelays: RetryDelays = { firstMs: 250, maxMs: 250 };

/** The memory of a turn's principal and agent, for turns that ask for one. */
export function memorySource(memory: TurnMemory, registry: ToolRegistry): ToolSource {
  return {
    name: 'memory',
    precedence: 20,
    owns: [MEMORY_TOOL],
    open: (attempt, { options }) =>
      options.memory === true && attempt.services.config.memory
        ? {
            tools: registry.select([MEMORY_TOOL]).tools,
            bounds: ['parent', 'ceiling'],
            context: { memory: openMemory(attempt, memory) },
          }
        : { tools: [], bounds: [] },
  };
}

/**
 * A database that is away for a while costs time: a call may be tried again, as it takes effect once. The turn's end
 * does not cut it short, or its outcome would be unknown.
 */
function openMemory({ services, turn, clock, lease }: Attempt, memory: TurnMemory): MemoryAccess {
  const { id: turnId, attempt, sessionId, principalId } = turn;
  const { persona: agent } = turn.options.options;
  return {
    run: (command, callId) => {
      const giveUpAt = clock.now() + services.config.leaseMs;
      const mayRetry = (error: unknown): boolean =>
        isDatabaseDown(error) && clock.now() < giveUpAt && lease.reason !== 'lost';
      const call = { turnId, attempt, callId, sessionId, principalId, agent };
      return retry(clock, { ...retryDelays, mayRetry }, () => memory.run(call, command));
    },
  };
}
