import type { Clock } from '../../platform/clock.js';
import type { ListedMcpServerDto } from '../tool-list.dto.js';

type State = ListedMcpServerDto['state'];

/** What is noted of a server; absent fields stay as they were. */
export interface NotedState {
  state: State;
  /** Number of its tools. */
  tools?: number;
  problems?: readonly string[];
  /** The last lines of its standard error. */
  stderr?: readonly string[];
}

type Noted = Required<NotedState> & { since: number };

/** What this process has found of the servers that all sessions share. */
export class ServerStates {
  readonly #noted = new Map<string, Noted>();

  constructor(private readonly clock: Clock) {}

  note(name: string, { state, ...found }: NotedState): void {
    const before = this.#noted.get(name);
    const isSame = before?.state === state;
    const facts = isSame ? before : { tools: before?.tools ?? 0, problems: [], stderr: [] };
    const since = isSame ? before.since : this.clock.now();
    this.#noted.set(name, { ...facts, ...found, state, since });
  }

  /** The server as lists have it. */
  describe(name: string, kind: ListedMcpServerDto['kind']): ListedMcpServerDto {
    const noted = this.#noted.get(name);
    if (noted === undefined) {
      return { name, kind, state: 'unused', since: null, tools: 0, problems: [], stderr: [] };
    }
    const { since, ...found } = noted;
    return { name, kind, ...found, since: new Date(since).toISOString() };
  }
}
