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
import { route, type Transport } from '../transport/transport.js';
import type { Page } from './session-calls.js';

/** A file to write, and what is there before. */
export interface MemoryWrite {
  content: string;
  /** The version that was read; null: there is no such file. Otherwise MEMORY_CHANGED. */
  version: number | null;
}

/** Files that agents keep for the caller between conversations: `client.memory`. */
export class MemoryCalls {
  constructor(private readonly transport: Transport) {}

  /** The caller's memories, one for each agent that keeps files. */
  list(): Promise<MemoryView[]> {
    return this.transport.field('memories', '/api/harness/memory');
  }

  /** The files of an agent's memory, by path, without their content. */
  files(
    agent: string,
    page: Page = {},
  ): Promise<{ files: ListedMemoryFile[]; nextCursor?: string }> {
    return this.transport.json({ path: route`/api/harness/memory/${agent}`, query: { ...page } });
  }

  get(agent: string, path: string): Promise<MemoryFileView> {
    return this.transport.field('file', route`/api/harness/memory/${agent}/file`, {
      query: { path },
    });
  }

  /** Writes a file whole, unless something else wrote it since it was read. */
  put(agent: string, path: string, { content, version }: MemoryWrite): Promise<MemoryFileView> {
    const headers: Record<string, string> =
      version === null ? { 'if-none-match': '*' } : { 'if-match': `"${version}"` };
    const call = { method: 'PUT' as const, query: { path }, headers, body: { content } };
    return this.transport.field('file', route`/api/harness/memory/${agent}/file`, call);
  }

  /**
   * @param path a file's; absent: all files of the memory.
   * @param version of the file as it was read: another one is MEMORY_CHANGED. Absent: any.
   * @returns how many were deleted.
   */
  delete(agent: string, path?: string, version?: number): Promise<number> {
    const at =
      path === undefined
        ? route`/api/harness/memory/${agent}`
        : route`/api/harness/memory/${agent}/file`;
    const headers: Record<string, string> =
      version === undefined ? {} : { 'if-match': `"${version}"` };
    return this.transport.field('deletedFiles', at, { method: 'DELETE', query: { path }, headers });
  }
}

/** Judgements of turns by the caller: `client.feedback`. */
export class FeedbackCalls {
  constructor(private readonly transport: Transport) {}

  /** Sets the value of a key, in place of the one before. */
  set(turnId: string, given: GivenFeedback): Promise<FeedbackView> {
    return this.transport.field('feedback', route`/api/harness/turns/${turnId}/feedback`, {
      method: 'PUT',
      body: given,
    });
  }

  /** Takes the value of a key back. @returns what is gone. */
  delete(turnId: string, key: string): Promise<FeedbackView> {
    return this.transport.field('feedback', route`/api/harness/turns/${turnId}/feedback/${key}`, {
      method: 'DELETE',
    });
  }

  /** The caller's feedback on a turn, by key. */
  ofTurn(turnId: string): Promise<FeedbackView[]> {
    return this.transport.field('feedback', route`/api/harness/turns/${turnId}/feedback`);
  }

  /** The caller's feedback on all turns, the newest first. */
  list(query: FeedbackQuery = {}): Promise<{ feedback: FeedbackView[]; nextCursor?: string }> {
    return this.transport.json({ path: '/api/harness/feedback', query: { ...query } });
  }
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
  effective(): Promise<EffectiveSetting[]> {
    return this.transport.field('settings', '/api/settings/effective');
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
