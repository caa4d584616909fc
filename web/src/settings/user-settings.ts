import { TurnpikeError } from '../../../src/client/client-errors.js';
import type { EffectiveSetting, Settings } from '../../../src/client/turnpike-client.js';
import { isPlainObject } from '../../../src/platform/json.js';
import { ValueStore } from '../app/value-store.js';

export type SettingValue = Settings[string];

export interface SettingsState {
  /** As the server has them; undefined until they came. */
  saved: readonly EffectiveSetting[] | undefined;
  /** What was entered and is not saved, by the names of settings. */
  drafts: Readonly<Record<string, SettingValue>>;
  /** What the server says of a draft. */
  problems: Readonly<Record<string, string>>;
  status: 'loading' | 'idle' | 'waiting' | 'saving' | 'saved' | 'failed';
  fault?: unknown;
}

/** Each answers with all settings as they are afterwards. */
export interface SettingsServer {
  get(): Promise<readonly EffectiveSetting[]>;
  update(change: Settings): Promise<readonly EffectiveSetting[]>;
  /** @param names absent: all of them. */
  reset(names?: readonly string[]): Promise<readonly EffectiveSetting[]>;
}

/** Milliseconds without a change after which it is saved. */
const QUIET_MS = 800;

/** The limits and models of the user's turns, saved by themselves. */
export class UserSettings {
  readonly state = new ValueStore<SettingsState>({
    saved: undefined,
    drafts: {},
    problems: {},
    status: 'loading',
  });
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param changed called after the server took a change. */
  constructor(
    private readonly server: SettingsServer,
    private readonly changed: () => void,
  ) {}

  async load(): Promise<void> {
    await this.#ask(async () => {
      const saved = await this.server.get();
      this.state.update((state) => ({ ...withoutFault(state), saved, status: 'idle' }));
    });
  }

  set(name: string, value: SettingValue): void {
    this.state.update((state) => ({
      ...withoutFault(state),
      drafts: { ...state.drafts, [name]: value },
      problems: omit(state.problems, [name]),
      status: 'waiting',
    }));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.save(), QUIET_MS);
  }

  /** Saves what was entered, all but what the server has refused. */
  async save(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const change = pending(this.state.get());
    if (Object.keys(change).length === 0) return;
    this.state.update((state) => ({ ...state, status: 'saving' }));
    await this.#ask(async () => {
      try {
        this.#take(await this.server.update(change), change);
      } catch (fault) {
        const problems = problemsOf(fault);
        if (problems === undefined) throw fault;
        this.state.update((state) => ({
          ...state,
          problems: { ...state.problems, ...problems },
          status: 'idle',
        }));
        // Nothing is saved of a change with a fault in it: the rest of it is another one.
        await this.save();
      }
    });
  }

  /** Forgets what was entered and what was saved. @param names absent: of all settings. */
  async reset(names?: readonly string[]): Promise<void> {
    const { drafts } = this.state.get();
    this.state.update((state) => {
      const forgotten = names ?? Object.keys(state.drafts);
      const problems = names === undefined ? {} : omit(state.problems, names);
      return {
        ...withoutFault(state),
        drafts: omit(drafts, forgotten),
        problems,
        status: 'saving',
      };
    });
    await this.#ask(async () => {
      this.#take(await this.server.reset(names), {});
    });
  }

  /** What is not saved yet is saved now. */
  close(): void {
    if (this.#timer !== undefined) void this.save();
  }

  #take(saved: readonly EffectiveSetting[], change: Settings): void {
    this.state.update((state) => {
      // What was changed again meanwhile stays, and is saved next.
      const done = Object.keys(change).filter((name) => state.drafts[name] === change[name]);
      const drafts = omit(state.drafts, done);
      const isDone = Object.keys(pending({ ...state, drafts })).length === 0;
      return { ...withoutFault(state), saved, drafts, status: isDone ? 'saved' : 'waiting' };
    });
    this.changed();
  }

  async #ask(task: () => Promise<void>): Promise<void> {
    try {
      await task();
    } catch (fault) {
      this.state.update((state) => ({ ...state, status: 'failed', fault }));
    }
  }
}

function withoutFault({ fault: _gone, ...state }: SettingsState): SettingsState {
  return state;
}

function omit<T>(from: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(from).filter(([name]) => !names.includes(name)));
}

function pending({ drafts, problems }: Pick<SettingsState, 'drafts' | 'problems'>): Settings {
  return omit(drafts, Object.keys(problems));
}

/** By field, where the refusal is about fields. */
function problemsOf(fault: unknown): SettingsState['problems'] | undefined {
  if (!(fault instanceof TurnpikeError) || !Array.isArray(fault.details)) return undefined;
  const entries = fault.details.flatMap((detail): [string, string][] => {
    if (!isPlainObject(detail) || !Array.isArray(detail['loc'])) return [];
    return [[String(detail['loc'].at(-1)), String(detail['msg'])]];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
