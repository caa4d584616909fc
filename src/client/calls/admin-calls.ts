import { parseRefusal } from '../transport/client-errors.js';
import type {
  CreatedKey,
  EndedAccess,
  EndedTokens,
  ImportReport,
  KeyChanges,
  KeyView,
  MasterKeyRotation,
  PrincipalReport,
  MintedToken,
  WantedToken,
} from '../server-types.js';
import { parseJson, route, type Transport } from '../transport/transport.js';

/** Stored data as a whole: `client.data`. All but `exportSession` is for a key with the scope `admin`. */
export class DataCalls {
  constructor(private readonly transport: Transport) {}

  /** A session of the caller's with its turns and files, as lines of JSON. */
  exportSession(sessionId: string): Promise<ReadableStream<Uint8Array>> {
    return this.#open(route`/api/harness/sessions/${sessionId}/export`);
  }

  /** Sessions as lines of JSON: one, those of a principal, or all. */
  export(
    selection: { sessionId?: string | undefined; principal?: string | undefined } = {},
  ): Promise<ReadableStream<Uint8Array>> {
    return this.#open('/api/admin/export', selection);
  }

  /**
   * Imports the lines of an export, as they come. @param principal owner of all its sessions; default: the
   * file's.
   */
  async import(
    lines: ReadableStream<Uint8Array> | Blob,
    { principal }: { principal?: string | undefined } = {},
  ): Promise<ImportReport> {
    const path =
      principal === undefined
        ? '/api/admin/import'
        : route`/api/admin/import?principal=${principal}`;
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
    const response = await this.transport.send(path, init);
    if (!response.ok) throw await parseRefusal(response, this.transport.clock.now());
    return parseJson(await response.text(), response.status) as ImportReport;
  }

  /** A principal's stored data, in numbers. */
  count(principal: string): Promise<PrincipalReport> {
    return this.transport.json({ path: route`/api/admin/principals/${principal}` });
  }

  /** Ends the access of somebody who left. Credentials that are newer are taken. @returns what was ended. */
  endAccess(principal: string): Promise<EndedAccess> {
    const path = route`/api/admin/principals/${principal}/access`;
    return this.transport.json({ method: 'DELETE', path });
  }

  /** Deletes all that is stored of a principal. @returns what there was. */
  forget(
    principal: string,
    { projects = false }: { projects?: boolean } = {},
  ): Promise<PrincipalReport> {
    const query = { projects: projects ? 'true' : undefined };
    return this.transport.json({
      method: 'DELETE',
      path: route`/api/admin/principals/${principal}`,
      query,
    });
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

/** Page tokens: `client.tokens`, in a backend, with a key that has the scope `tokens`. */
export class TokenCalls {
  constructor(private readonly transport: Transport) {}

  /** A token for a page of one of your users, by default for 15 minutes. */
  create(wanted: Partial<WantedToken> = {}): Promise<MintedToken> {
    return this.transport.json({ method: 'POST', path: '/api/harness/tokens', body: wanted });
  }

  /** Ends all page tokens of one of your users, as at a log-out. Tokens that are made later are taken. */
  end(principal: string): Promise<EndedTokens> {
    const path = route`/api/harness/tokens/${principal}`;
    return this.transport.json({ method: 'DELETE', path });
  }
}

/** API keys, for a key with the scope `admin`: `client.keys`. */
export class KeyCalls {
  constructor(private readonly transport: Transport) {}

  /** @param wanted `principal`; optional: `name`, `scopes`, `expiresIn`, `limits`, `projectRoots`. */
  create(wanted: Readonly<Record<string, unknown>>): Promise<CreatedKey> {
    return this.transport.json({ method: 'POST', path: '/api/admin/keys', body: wanted });
  }

  list(): Promise<KeyView[]> {
    return this.transport.field('keys', '/api/admin/keys');
  }

  /** Changes a key's name and limits, from its next request on; a limit of null is the server's. */
  change(keyId: string, changes: KeyChanges): Promise<KeyView> {
    const call = { method: 'PATCH', body: changes } as const;
    return this.transport.field('key', route`/api/admin/keys/${keyId}`, call);
  }

  revoke(keyId: string): Promise<KeyView> {
    return this.transport.field('key', route`/api/admin/keys/${keyId}`, { method: 'DELETE' });
  }

  /** Wraps all data keys with the first master key, and seals secrets that are stored in plain text. */
  rotateMaster(): Promise<MasterKeyRotation> {
    return this.transport.json({ method: 'POST', path: '/api/admin/master-key/rotate' });
  }
}
