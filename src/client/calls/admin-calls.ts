import { parseRefusal } from '../transport/client-errors.js';
import type { ImportReport, PrincipalReport, CreatedKey, KeyView } from '../server-types.js';
import { parseJson, type Transport } from '../transport/transport.js';

const admin = '/api/admin';

/** Stored data as a whole: `client.data`. All but `exportSession` is for a key with the scope `admin`. */
export class DataCalls {
  constructor(private readonly transport: Transport) {}

  /** A session of the caller's with its turns and files, as lines of JSON. */
  exportSession(sessionId: string): Promise<ReadableStream<Uint8Array>> {
    return this.#open(`/api/harness/sessions/${encodeURIComponent(sessionId)}/export`);
  }

  /** Sessions as lines of JSON: one, those of a principal, or all. */
  export(
    selection: { sessionId?: string | undefined; principal?: string | undefined } = {},
  ): Promise<ReadableStream<Uint8Array>> {
    return this.#open(`${admin}/export`, selection);
  }

  /**
   * Imports the lines of an export, as they come. @param principal owner of all its sessions; default: the
   * file's.
   */
  async import(
    lines: ReadableStream<Uint8Array> | Blob,
    { principal }: { principal?: string | undefined } = {},
  ): Promise<ImportReport> {
    const query = principal === undefined ? '' : `?principal=${encodeURIComponent(principal)}`;
    // Platforms want to hear that a body is a stream; the types do not know the field yet. Without the other two,
    // Node keeps a copy of the whole body for a redirect.
    const init: RequestInit & { duplex: 'half' } = {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: lines,
      duplex: 'half',
      redirect: 'error',
      window: null,
    };
    const response = await this.transport.send(`${admin}/import${query}`, init);
    if (!response.ok) throw await parseRefusal(response, this.transport.clock.now());
    return parseJson(await response.text(), response.status) as ImportReport;
  }

  /** A principal's stored data, in numbers. */
  count(principal: string): Promise<PrincipalReport> {
    return this.transport.json({ path: pathOf(principal) });
  }

  /** Deletes all that is stored of a principal. @returns what there was. */
  forget(
    principal: string,
    { projects = false }: { projects?: boolean } = {},
  ): Promise<PrincipalReport> {
    const query = { projects: projects ? 'true' : undefined };
    return this.transport.json({ method: 'DELETE', path: pathOf(principal), query });
  }

  async #open(
    path: string,
    query: Readonly<Record<string, string | undefined>> = {},
  ): Promise<ReadableStream<Uint8Array>> {
    const { body } = await this.transport.open({ path, query });
    // Taken at once: Node cancels the body of a response that nobody refers to, while nobody reads it.
    return (body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TransformStream());
  }
}

function pathOf(principal: string): string {
  return `${admin}/principals/${encodeURIComponent(principal)}`;
}

const keys = '/api/admin/keys';

/** API keys, for a key with the scope `admin`: `client.keys`. */
export class KeyCalls {
  constructor(private readonly transport: Transport) {}

  /** @param wanted `principal`; optional: `name`, `scopes`, `expiresIn`, `limits`, `projectRoots`. */
  create(wanted: Readonly<Record<string, unknown>>): Promise<CreatedKey> {
    return this.transport.json({ method: 'POST', path: keys, body: wanted });
  }

  async list(): Promise<KeyView[]> {
    return (await this.transport.json<{ keys: KeyView[] }>({ path: keys })).keys;
  }

  async revoke(keyId: string): Promise<KeyView> {
    const call = { method: 'DELETE' as const, path: `${keys}/${encodeURIComponent(keyId)}` };
    return (await this.transport.json<{ key: KeyView }>(call)).key;
  }
}
