import { TurnpikeError } from '../../../src/client/client-errors.js';
import type { AgentConfigSettings } from '../../../src/client/turnpike-client.js';
import { isPlainObject } from '../../../src/platform/json.js';
import { ValueStore } from '../app/value-store.js';

export type SettingName = keyof AgentConfigSettings;

export interface SettingsState {
  /** As the server has them; undefined until they came. */
  saved: AgentConfigSettings | undefined;
  /** What was entered and is not saved. */
  drafts: Partial<Record<SettingName, number>>;
  /** What the server says of a draft. */
  problems: Partial<Record<SettingName, string>>;
  status: 'loading' | 'idle' | 'waiting' | 'saving' | 'saved' | 'failed';
  fault?: unknown;
}

export interface SettingsServer {
  get(): Promise<AgentConfigSettings>;
  update(change: Partial<AgentConfigSettings>): Promise<AgentConfigSettings>;
  reset(): Promise<AgentConfigSettings>;
}

/** Milliseconds without a change after which it is saved. */
const QUIET_MS = 800;

/** The limits of the user's turns, saved by themselves. */
export class AgentSettings {
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
      this.state.update((state) => ({ ...without(state), saved, status: 'idle' }));
    });
  }

  set(name: SettingName, value: number): void {
    this.state.update((state) => {
      const { [name]: _solved, ...problems } = state.problems;
      return {
        ...without(state),
        drafts: { ...state.drafts, [name]: value },
        problems,
        status: 'waiting',
      };
    });
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

  async reset(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#ask(async () => {
      const saved = await this.server.reset();
      this.state.set({ saved, drafts: {}, problems: {}, status: 'saved' });
      this.changed();
    });
  }

  /** What is not saved yet is saved now. */
  close(): void {
    if (this.#timer !== undefined) void this.save();
  }

  #take(saved: AgentConfigSettings, change: Partial<AgentConfigSettings>): void {
    this.state.update((state) => {
      const drafts = { ...state.drafts };
      // What was changed again meanwhile stays, and is saved next.
      for (const name of namesOf(change)) if (drafts[name] === change[name]) delete drafts[name];
      const isDone = this.#timer === undefined;
      return { ...without(state), saved, drafts, status: isDone ? 'saved' : 'waiting' };
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

function without({ fault: _gone, ...state }: SettingsState): SettingsState {
  return state;
}

function pending({ drafts, problems }: SettingsState): Partial<AgentConfigSettings> {
  const names = namesOf(drafts).filter((name) => problems[name] === undefined);
  return Object.fromEntries(names.map((name) => [name, drafts[name]]));
}

function namesOf(of: Partial<Record<SettingName, unknown>>): SettingName[] {
  return Object.keys(of) as SettingName[];
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
