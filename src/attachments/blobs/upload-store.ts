import { Inject, Injectable } from '@nestjs/common';
import { and, eq, inArray } from 'drizzle-orm';
import { LOCAL_USER } from '../../access/principal.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { isId, newId } from '../../platform/ids.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { uploads } from '../../storage/file-schema.js';
import { compact } from '../../platform/compact.js';
import type { AttachmentRef } from '../../storage/shapes/stored-part.js';

/** Files that were sent before the turn that names them. `BlobStore.collect` removes old ones. */
@Injectable()
export class UploadStore {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @param owner the only principal that may name it. */
  async add(file: AttachmentRef, owner: string = LOCAL_USER): Promise<{ id: string }> {
    const { name, mimeType, size, sha256, changed = null } = file;
    const id = newId('att');
    const known = { id, principalId: owner, createdAt: new Date(this.clock.now()) };
    await this.db.insert(uploads).values({ ...known, name, mimeType, size, sha256, changed });
    return { id };
  }

  /** The uploads of a principal, by id; an id that is not found, or not well formed, is left out. */
  async find(
    ids: readonly string[],
    owner: string = LOCAL_USER,
  ): Promise<Map<string, AttachmentRef>> {
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
