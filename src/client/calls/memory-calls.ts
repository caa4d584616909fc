import type { ListedMemoryFile, MemoryFileView, MemoryView } from '../server-types.js';
import type { Page } from './session-calls.js';
import type { Transport } from '../transport/transport.js';

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
    return this.transport.json({ path: pathOf(agent), query: { ...page } });
  }

  async get(agent: string, path: string): Promise<MemoryFileView> {
    return this.#file({ path: `${pathOf(agent)}/file`, query: { path } });
  }

  /** Writes a file whole, unless something else wrote it since it was read. */
  async put(
    agent: string,
    path: string,
    { content, version }: MemoryWrite,
  ): Promise<MemoryFileView> {
    const headers: Record<string, string> =
      version === null ? { 'if-none-match': '*' } : { 'if-match': `"${version}"` };
    const call = { path: `${pathOf(agent)}/file`, query: { path }, headers };
    return this.#file({ ...call, method: 'PUT', body: { content } });
  }

  /**
   * @param path a file's; absent: all files of the memory.
   * @param version of the file as it was read: another one is MEMORY_CHANGED. Absent: any.
   * @returns how many were deleted.
   */
  async delete(agent: string, path?: string, version?: number): Promise<number> {
    const at = path === undefined ? pathOf(agent) : `${pathOf(agent)}/file`;
    const headers: Record<string, string> =
      version === undefined ? {} : { 'if-match': `"${version}"` };
    const call = { method: 'DELETE' as const, path: at, query: { path }, headers };
    return (await this.transport.json<{ deletedFiles: number }>(call)).deletedFiles;
  }

  async #file(call: Parameters<Transport['json']>[0]): Promise<MemoryFileView> {
    return (await this.transport.json<{ file: MemoryFileView }>(call)).file;
  }
}

function pathOf(agent: string): string {
  return `${memory}/${encodeURIComponent(agent)}`;
}
