import { TurnpikeError } from '#src/client/transport/client-errors.js';
import type { EffectiveSetting, Settings } from '#src/client/turnpike-client.js';
import { isPlainObject } from '#src/platform/json.js';
import { ValueStore } from '../../hooks/value-store.js';

export type SettingValue = Settings[string];

export interface SettingsState {
  /** The server's values; undefined until they are loaded. */
  saved: readonly EffectiveSetting[] | undefined;
  /** Values that are entered and not saved, by the names of settings. */
  drafts: Readonly<Record<string, SettingValue>>;
  /** Faults of drafts, by the names of settings. */
  problems: Readonly<Record<string, string>>;
  status: 'loading' | 'idle' | 'unsaved' | 'saving' | 'saved' | 'failed';
  fault?: unknown;
}

/** The calls of the API; each returns all settings after it. */
export interface SettingsServer {
  get(): Promise<readonly EffectiveSetting[]>;
  update(change: Settings): Promise<readonly EffectiveSetting[]>;
  /** @param names absent: all of them. */
  reset(names?: readonly string[]): Promise<readonly EffectiveSetting[]>;
}

/** Milliseconds after the last edit until drafts are saved. */
const QUIET_MS = 800;

/** The user's limits and models, saved automatically. */
export class UserSettings {
  readonly state = new ValueStore<SettingsState>({
    saved: undefined,
    drafts: {},
    problems: {},
    status: 'loading',
  });
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param changed called after the server saved a change. */
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
      status: 'unsaved',
    }));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.save(), QUIET_MS);
  }

  /** Saves the drafts that the server has not refused. */
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
        // A request with one invalid value saves nothing: the valid ones are sent again.
        await this.save();
      }
    });
  }

  /** Resets settings and drops their drafts. @param names default: all settings. */
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

  /** Saves the remaining drafts. */
  close(): void {
    if (this.#timer !== undefined) void this.save();
  }

  #take(saved: readonly EffectiveSetting[], change: Settings): void {
    this.state.update((state) => {
      // A draft that was edited during the request stays, and is saved next.
      const done = Object.keys(change).filter((name) => state.drafts[name] === change[name]);
      const drafts = omit(state.drafts, done);
      const isDone = Object.keys(pending({ ...state, drafts })).length === 0;
      return { ...withoutFault(state), saved, drafts, status: isDone ? 'saved' : 'unsaved' };
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

/** The faults by field; undefined where the error is not about fields. */
function problemsOf(fault: unknown): SettingsState['problems'] | undefined {
  if (!(fault instanceof TurnpikeError) || !Array.isArray(fault.details)) return undefined;
  const entries = fault.details.flatMap((detail): [string, string][] => {
    if (!isPlainObject(detail) || !Array.isArray(detail['loc'])) return [];
    return [[String(detail['loc'].at(-1)), String(detail['msg'])]];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
