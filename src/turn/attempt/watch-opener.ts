import { clientNotice } from '../../events/turn-event.js';
import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { errorCode } from '../../platform/error-code.js';
import { ResourceProbe } from '../../platform/process/resource-probe.js';
import { TtlCache } from '../../platform/async/ttl-cache.js';
import { ModelCatalogue } from '../../provider/model-catalogue.js';
import { WrittenLookup } from '../branches/written-lookup.js';
import type { RequestPrefix } from '../../storage/shapes/sent-request.js';
import { TRIGGERS, type Trigger } from '../../notices/trigger.js';
import type { Todo } from '../../storage/shapes/stored-step.js';
import { replaceTodos } from '../../notices/todo-store.js';
import { todoWriteTool } from '../../tools/builtin/todo-write.js';
import type { TodoBoard } from '../../tools/tool.js';
import type { StoredTurn } from '../state/stored-turn.js';
import { findArrived } from './find-arrived.js';
import type { Compaction, Progress, Attempt } from '../state/attempt.js';
import { contextBefore } from '../state/turn-state.js';
import type { TurnWatch } from './turn-watch.js';

export interface WatchSource {
  earlier: readonly StoredTurn[];
  todos: readonly Todo[] | null;
  compaction: Compaction | undefined;
  sessionChange: string | undefined;
  sessionState: RequestPrefix['told'];
}

/** TTL of what is known of a folder, in ms: the sessions of a folder ask the disk once. */
const FACTS_FRESH_MS = 1_000;

/** Opens the triggers of an attempt, and what they look at. */
@Injectable()
export class WatchOpener {
  readonly #projectFacts: TtlCache<string | undefined>;

  constructor(
    private readonly resources: ResourceProbe,
    private readonly models: ModelCatalogue,
    @Inject(TRIGGERS) private readonly triggers: readonly Trigger[],
    private readonly written: WrittenLookup,
    @Inject(CLOCK) clock: Clock,
  ) {
    this.#projectFacts = new TtlCache(clock, FACTS_FRESH_MS);
  }

  async open(
    attempt: Attempt,
    { earlier, todos, compaction, sessionChange, sessionState }: WatchSource,
  ): Promise<TurnWatch> {
    const { turn, session, progress } = attempt;
    const isFirstMessage = earlier.length === 0;
    const before = compaction === undefined ? contextBefore(earlier) : 0;
    const window = this.models.describe(turn.options.options.model).contextWindow;
    return {
      triggers: this.triggers,
      isFirstMessage,
      projectFacts: isFirstMessage ? await this.#findProjectFacts(session.projectRoot) : undefined,
      contextBefore: before,
      todos: todos ?? [],
      todosTouchedAt: lastTodoStep(progress),
      compaction,
      sessionChange,
      sessionState,
      written: await this.written.find(attempt, earlier),
      arrived: findArrived(attempt),
      readings: [{ contextPercent: (before * 100) / window, memoryPercent: 0, diskPercent: 0 }],
      measureResources: () => this.resources.measure(session.projectRoot),
    };
  }

  #findProjectFacts(projectRoot: string): Promise<string | undefined> {
    return this.#projectFacts.get(projectRoot, () => findProjectFacts(projectRoot));
  }
}

/** Files with notes for agents. */
const notes = ['AGENTS.md', 'CLAUDE.md'];

/** A sentence about the project for its first turn; undefined where there are no notes. */
async function findProjectFacts(projectRoot: string): Promise<string | undefined> {
  const found = await Promise.all(notes.map((name) => canFind(path.join(projectRoot, name))));
  const named = notes.filter((_, index) => found[index]);
  if (named.length === 0) return undefined;
  return `The project has notes for agents in ${named.join(' and ')}. Read them before you change anything.`;
}

/** Errors of a file that is not there. */
const absent = new Set<string | undefined>(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES']);

async function canFind(file: string): Promise<boolean> {
  try {
    // Not what a link leads to: that may be outside, where nobody learns what is there.
    await lstat(file);
    return true;
  } catch (error) {
    if (absent.has(errorCode(error))) return false;
    throw error;
  }
}

/** The step that wrote the todo list last; 0: no step of this turn. */
function lastTodoStep({ steps, results }: Progress): number {
  const last = steps.findLast(({ parts }) =>
    parts.some(
      (part) =>
        part.type === 'tool_use' &&
        part.name === todoWriteTool.name &&
        results.get(part.id)?.status === 'success',
    ),
  );
  return last?.step ?? 0;
}

/** The session's todo list for the turn's tools; every change is a notice. */
export function todoBoard({ turn, clock, writer, progress }: Attempt, watch: TurnWatch): TodoBoard {
  return {
    replace: async (items) => {
      await writer.commit(
        [clientNotice('step', 'todos', `${items.length} todos`, { todos: items })],
        [replaceTodos({ sessionId: turn.sessionId, items, updatedAt: new Date(clock.now()) })],
      );
      watch.todos = items;
      watch.todosTouchedAt = progress.steps.length;
    },
  };
}
