import { OutputFiles } from '../../attachments/output-files.js';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { TurnMemory } from '../../memory/turn-memory.js';
import { retry, type RetryDelays } from '../../platform/async/retry.js';
import { isDatabaseDown } from '../../storage/database-errors.js';
import { SHELL_ENV } from '../../tools/shell-env.js';
import type { MemoryBoard } from '../../tools/tool.js';
import type { Attempt } from '../state/attempt.js';

/** The delays between the tries of a call that the database did not answer. */
const retryDelays: RetryDelays = { firstMs: 250, maxMs: 250 };

/** What tools of every turn are given, beside what its conversation has. */
@Injectable()
export class ToolSurroundings {
  constructor(
    readonly outputs: OutputFiles,
    /** The environment of commands. */
    @Inject(SHELL_ENV) readonly shellEnv: Readonly<Record<string, string>>,
    private readonly memory: TurnMemory,
    @Inject(CONFIG) private readonly config: Pick<Config, 'leaseMs' | 'memory'>,
  ) {}

  /**
   * The memory of a turn's principal and agent; undefined: the turn has none. A database that is away for a while
   * costs time: a call may be tried again, as it takes effect once. The turn's end does not cut it short, or nobody
   * would know what it came to.
   */
  openMemory({ turn, clock, lease }: Attempt): MemoryBoard | undefined {
    const { options } = turn.options;
    if (options.memory !== true || !this.config.memory) return undefined;
    const { id: turnId, attempt, sessionId, principalId } = turn;
    return {
      run: (command, callId) => {
        const giveUpAt = clock.now() + this.config.leaseMs;
        const mayRetry = (error: unknown): boolean =>
          isDatabaseDown(error) && clock.now() < giveUpAt && lease.reason !== 'lost';
        const agent = options.persona;
        const call = { turnId, attempt, callId, sessionId, principalId, agent };
        return retry(clock, { ...retryDelays, mayRetry }, () => this.memory.run(call, command));
      },
    };
  }
}
