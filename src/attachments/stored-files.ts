import { Inject, Injectable } from '@nestjs/common';
import { and, eq, inArray, isNotNull, type SQL } from 'drizzle-orm';
import { LOCAL_USER } from '../access/principal.js';
import { DATABASE, type Database } from '../storage/connection.js';
import { turns } from '../storage/schema.js';
import type { AttachmentRef, OutputFile } from '../storage/shapes/stored-step.js';
import { messages, toolCalls } from '../storage/transcript-schema.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { isId, newId } from '../platform/ids.js';
import { uploads } from '../storage/file-schema.js';
import { compact } from '../platform/compact.js';

/**
 * The id of a file in a stored message, by which its owner can send it again or load it.
 *
 * @param position index of the file among the message's parts.
 */
export function storedFileId(turnId: string, position: number): string {
  return `${turnId.replace(/^turn_/, 'file_')}_${position}`;
}

/** The id of a file that a tool of a turn gave: by its content, as a call may give several. */
function outputFileId(turnId: string, sha256: string): string {
  return `${turnId.replace(/^turn_/, 'file_')}_o${sha256.slice(0, 32)}`;
}

/** The files of an output, as people are shown them; undefined: there are none. Pure. */
export function viewOutputFiles(
  turnId: string,
  files: readonly AttachmentRef[] | null | undefined,
): OutputFile[] | undefined {
  if (files === null || files === undefined || files.length === 0) return undefined;
  return files.map(({ name, mimeType, size, sha256 }) => {
    const id = outputFileId(turnId, sha256);
    return { id, name, mimeType, size, url: storedFileUrl(id) };
  });
}

/** Whether a name is an id of a stored message's file (`file_`) or of an upload (`att_`). Pure. */
export const isFileId = (name: string): boolean => /^(?:file|att)_/.test(name);

/** The address of a file, below that of the server. */
export function storedFileUrl(id: string): string {
  return `/api/harness/attachments/${id}`;
}

/** The id in a file's address, whole or below the server's; undefined for any other text. Pure. */
export function fileIdInUrl(url: string): string | undefined {
  return /^(?:https?:\/\/[^?#]*)?\/api\/harness\/attachments\/((?:file|att)_[\w-]+)$/.exec(
    url,
  )?.[1];
}

/** Files that a turn may name by an id: those of stored messages, and those that were sent before. */
@Injectable()
export class StoredFiles {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * The files of a principal, by id; an id that is not found, or not well formed, is left out.
   *
   * @param sessionId the one session whose files are found, beside uploads; absent: any.
   */
  async find(
    ids: readonly string[],
    owner: string = LOCAL_USER,
    sessionId?: string,
  ): Promise<Map<string, AttachmentRef>> {
    const turnIds = ids.flatMap((id) => {
      const [, rest] = /^file_(.+)_(?:\d+|o[0-9a-f]{32})$/.exec(id) ?? [];
      return rest === undefined ? [] : `turn_${rest}`;
    });
    const outputs = ids.some((id) => /_o[0-9a-f]{32}$/.test(id))
      ? await this.#ofOutputs(turnIds, owner, sessionId)
      : [];
    const files = new Map([...(await this.#ofTurns(turnIds, owner, sessionId)), ...outputs]);
    const sent = await this.#uploads(ids, owner);
    return new Map(
      ids.flatMap((id) => {
        const file = files.get(id) ?? sent.get(id);
        return file === undefined ? [] : [[id, file]];
      }),
    );
  }

  /** Ids of the files of a turn's message. */
  async idsOf(turnId: string, owner: string = LOCAL_USER): Promise<string[]> {
    return [...(await this.#ofTurns([turnId], owner)).keys()];
  }

  /**
   * Adds a file that was sent before the turn that names it. `BlobStore.collect` removes old ones.
   *
   * @param owner the only principal that may name it.
   */
  async addUpload(file: AttachmentRef, owner: string = LOCAL_USER): Promise<{ id: string }> {
    const { name, mimeType, size, sha256, changed = null } = file;
    const id = newId('att');
    const known = { id, principalId: owner, createdAt: new Date(this.clock.now()) };
    await this.db.insert(uploads).values({ ...known, name, mimeType, size, sha256, changed });
    return { id };
  }

  async #ofTurns(
    turnIds: readonly string[],
    owner: string,
    sessionId?: string,
  ): Promise<Map<string, AttachmentRef>> {
    if (turnIds.length === 0) return new Map();
    const found = await this.db
      .select({ turnId: turns.id, parts: messages.parts })
      .from(messages)
      .innerJoin(turns, eq(turns.id, messages.turnId))
      .where(and(isOwn(turnIds, owner, sessionId), eq(messages.role, 'user')));
    const files = new Map<string, AttachmentRef>();
    for (const { turnId, parts } of found) {
      for (const [position, part] of parts.entries()) {
        if (part.type === 'file') files.set(storedFileId(turnId, position), part.file);
      }
    }
    return files;
  }

  async #ofOutputs(
    turnIds: readonly string[],
    owner: string,
    sessionId?: string,
  ): Promise<[string, AttachmentRef][]> {
    const found = await this.db
      .select({ turnId: turns.id, files: toolCalls.files })
      .from(toolCalls)
      .innerJoin(turns, eq(turns.id, toolCalls.turnId))
      .where(and(isOwn(turnIds, owner, sessionId), isNotNull(toolCalls.files)));
    return found.flatMap(({ turnId, files }) =>
      (files ?? []).map((file): [string, AttachmentRef] => [
        outputFileId(turnId, file.sha256),
        file,
      ]),
    );
  }

  async #uploads(ids: readonly string[], owner: string): Promise<Map<string, AttachmentRef>> {
    const wanted = ids.filter((id) => isId('att', id));
    if (wanted.length === 0) return new Map();
    const { id, name, mimeType, size, sha256, changed, principalId } = uploads;
    const found = await this.db
      .select({ id, name, mimeType, size, sha256, changed })
      .from(uploads)
      .where(and(inArray(uploads.id, wanted), eq(principalId, owner)));
    return new Map(
      found.map(({ id: key, changed: change, ...file }) => [
        key,
        { ...file, ...compact({ changed: change ?? undefined }) },
      ]),
    );
  }
}

/** Turns of a principal, of one session where it is given. */
function isOwn(turnIds: readonly string[], owner: string, sessionId?: string): SQL | undefined {
  return and(
    inArray(turns.id, [...turnIds]),
    eq(turns.principalId, owner),
    sessionId === undefined ? undefined : eq(turns.sessionId, sessionId),
  );
}
