import type {
  ListedMemoryFile,
  MemoryFileView,
  MemoryView,
  FeedbackQuery,
  FeedbackView,
  GivenFeedback,
  AgentConfigSettings,
  EffectiveSetting,
  Settings,
} from '../server-types.js';
import type { Transport } from '../transport/transport.js';
import type { Page } from './session-calls.js';

/** A file to write, and what is there before. */
export interface MemoryWrite {
  content: string;
  /** The version that was read; null: there is no such file. Otherwise MEMORY_CHANGED. */
  version: number | null;
}

const memory = '/api/harness/memory';

/** Files that agents keep for the caller between conversations: `client.memory`. */
export class MemoryCalls {
  constructor(private readonly transport: Transport) {}

  /** The caller's memories, one for each agent that keeps files. */
  async list(): Promise<MemoryView[]> {
    return (await this.transport.json<{ memories: MemoryView[] }>({ path: memory })).memories;
  }

  /** The files of an agent's memory, by path, without their content. */
  files(
    agent: string,
    page: Page = {},
  ): Promise<{ files: ListedMemoryFile[]; nextCursor?: string }> {
    return this.transport.json({ path: memoryPath(agent), query: { ...page } });
  }

  async get(agent: string, path: string): Promise<MemoryFileView> {
    return this.#file({ path: `${memoryPath(agent)}/file`, query: { path } });
  }

  /** Writes a file whole, unless something else wrote it since it was read. */
  async put(
    agent: string,
    path: string,
    { content, version }: MemoryWrite,
  ): Promise<MemoryFileView> {
    const headers: Record<string, string> =
      version === null ? { 'if-none-match': '*' } : { 'if-match': `"${version}"` };
    const call = { path: `${memoryPath(agent)}/file`, query: { path }, headers };
    return this.#file({ ...call, method: 'PUT', body: { content } });
  }

  /**
   * @param path a file's; absent: all files of the memory.
   * @param version of the file as it was read: another one is MEMORY_CHANGED. Absent: any.
   * @returns how many were deleted.
   */
  async delete(agent: string, path?: string, version?: number): Promise<number> {
    const at = path === undefined ? memoryPath(agent) : `${memoryPath(agent)}/file`;
    const headers: Record<string, string> =
      version === undefined ? {} : { 'if-match': `"${version}"` };
    const call = { method: 'DELETE' as const, path: at, query: { path }, headers };
    return (await this.transport.json<{ deletedFiles: number }>(call)).deletedFiles;
  }

  async #file(call: Parameters<Transport['json']>[0]): Promise<MemoryFileView> {
    return (await this.transport.json<{ file: MemoryFileView }>(call)).file;
  }
}

function memoryPath(agent: string): string {
  return `${memory}/${encodeURIComponent(agent)}`;
}

/** Judgements of turns by the caller: `client.feedback`. */
export class FeedbackCalls {
  constructor(private readonly transport: Transport) {}

  /** Sets the value of a key, in place of the one before. */
  set(turnId: string, given: GivenFeedback): Promise<FeedbackView> {
    return this.#one({ method: 'PUT', path: feedbackPath(turnId), body: given });
  }

  /** Takes the value of a key back. @returns what is gone. */
  delete(turnId: string, key: string): Promise<FeedbackView> {
    return this.#one({
      method: 'DELETE',
      path: `${feedbackPath(turnId)}/${encodeURIComponent(key)}`,
    });
  }

  /** The caller's feedback on a turn, by key. */
  async ofTurn(turnId: string): Promise<FeedbackView[]> {
    const call = { path: feedbackPath(turnId) };
    return (await this.transport.json<{ feedback: FeedbackView[] }>(call)).feedback;
  }

  /** The caller's feedback on all turns, the newest first. */
  list(query: FeedbackQuery = {}): Promise<{ feedback: FeedbackView[]; nextCursor?: string }> {
    return this.transport.json({ path: '/api/harness/feedback', query: { ...query } });
  }

  async #one(call: Parameters<Transport['json']>[0]): Promise<FeedbackView> {
    return (await this.transport.json<{ feedback: FeedbackView }>(call)).feedback;
  }
}

function feedbackPath(turnId: string): string {
  return `/api/harness/turns/${encodeURIComponent(turnId)}/feedback`;
}

const limits = '/api/settings/agent-config';
const models = '/api/settings/models';

/**
 * The user's preferences: `client.settings`. A change with a wrong field saves nothing; the error's
 * `details` has `{loc, msg, type}` of each wrong field.
 */
export class SettingCalls {
  constructor(private readonly transport: Transport) {}

  /** The limits of the user's turns. */
  get(): Promise<AgentConfigSettings> {
    return this.transport.json({ path: limits });
  }

  /** Changes limits, from the next turn on. */
  update(change: Partial<AgentConfigSettings>): Promise<AgentConfigSettings> {
    return this.transport.json({ method: 'PUT', path: limits, body: change });
  }

  /** Resets limits to their defaults. @param fields default: all limits. */
  reset(fields?: readonly (keyof AgentConfigSettings)[]): Promise<AgentConfigSettings> {
    return this.transport.json({ method: 'POST', path: `${limits}/reset`, ...asBody(fields) });
  }

  /** Limits and models: the saved values, and the values that turns of each wire run with. */
  async effective(): Promise<EffectiveSetting[]> {
    const { settings } = await this.transport.json<{ settings: EffectiveSetting[] }>({
      path: '/api/settings/effective',
    });
    return settings;
  }

  /** The limits and the models. */
  getAll(): Promise<Settings> {
    return this.transport.json({ path: models });
  }

  updateAll(change: Settings): Promise<Settings> {
    return this.transport.json({ method: 'PUT', path: models, body: change });
  }

  /** Resets limits and models to their defaults. @param fields default: all of them. */
  resetAll(fields?: readonly string[]): Promise<Settings> {
    return this.transport.json({ method: 'POST', path: `${models}/reset`, ...asBody(fields) });
  }
}

function asBody(fields: readonly string[] | undefined): { body?: object } {
  return fields === undefined ? {} : { body: { fields } };
}
