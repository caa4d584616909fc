import { Poller } from '../platform/async/poller.js';
import type { Clock } from '../platform/clock.js';
import type { Logger } from '../platform/logger.js';
import type { PersonaLibrary } from './persona-library.js';
import type { SkillLibrary } from './skill-library.js';

/** Time between two looks, in ms. Folders of containers and networks do not tell of changes. */
const LOOK_MS = 5_000;

/**
 * Looks at the files of agents and skills again and again: the log names a fault when the file is written, not when the
 * next turn needs it.
 */
export class InstructionWatch {
  readonly #poller: Poller;
  #failure = '';

  constructor(
    private readonly agents: Pick<PersonaLibrary, 'check' | 'personas'>,
    private readonly skills: Pick<SkillLibrary, 'find'>,
    clock: Clock,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {
    this.#poller = new Poller(() => this.#look(), { clock, waitMs: () => LOOK_MS });
  }

  start(): void {
    this.#poller.later();
  }

  async stop(): Promise<void> {
    await this.#poller.stop();
  }

  async #look(): Promise<void> {
    try {
      await this.agents.check();
      const personas = await this.agents.personas();
      await Promise.all(
        [{}, ...personas.map(({ name: agent }) => ({ agent }))].map((scope) =>
          this.skills.find(scope),
        ),
      );
      this.#failure = '';
    } catch (error) {
      this.#report(error);
    }
  }

  /** Reports a failure once, and again after a look that succeeded. */
  #report(error: unknown): void {
    const failure = String(error);
    if (failure === this.#failure) return;
    this.#failure = failure;
    this.logger.warn(
      { error },
      'the instruction files cannot be read; turns that need them fail. Check the permissions of the instruction folder',
    );
  }
}
