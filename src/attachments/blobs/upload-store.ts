import { Inject, Injectable } from '@nestjs/common';
import { and, eq, inArray } from 'drizzle-orm';
import { LOCAL_USER } from '../../access/principal.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { isId, newId } from '../../platform/ids.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { uploads } from '../../storage/file-schema.js';
import type { ReceivedFile } from '../received-file.js';

export type Upload = Omit<typeof uploads.$inferSelect, 'createdAt'>;

type NewUpload = Omit<ReceivedFile, 'start'> & {
  mimeType: string;
  changed?: string;
  principalId?: string;
};

/** Files that were sent before the turn that names them. `BlobStore.collect` removes old ones. */
@Injectable()
export class UploadStore {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async add(file: NewUpload): Promise<{ id: string }> {
    const { name, mimeType, size, sha256, changed = null, principalId = LOCAL_USER } = file;
    const id = newId('att');
    const createdAt = new Date(this.clock.now());
    await this.db.insert(uploads).values({
      id,
      name,
      mimeType,
      size,
      sha256,
      changed,
      principalId,
      createdAt,
    });
    return { id };
  }

  /** The uploads of a principal, by id; an id that is not found, or not well formed, is left out. */
  async find(ids: readonly string[], owner: string = LOCAL_USER): Promise<Map<string, Upload>> {
    const wanted = ids.filter((id) => isId('att', id));
    if (wanted.length === 0) return new Map();
    const { id, name, mimeType, size, sha256, changed, principalId } = uploads;
    const found = await this.db
      .select({ id, name, mimeType, size, sha256, changed, principalId })
      .from(uploads)
      .where(and(inArray(uploads.id, wanted), eq(principalId, owner)));
    return new Map(found.map((upload) => [upload.id, upload]));
  }
}
