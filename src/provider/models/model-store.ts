import { and, eq, lt, ne } from 'drizzle-orm';
import * as z from 'zod/mini';
import { parseLeniently } from '../../parsing/parse-value.js';
import type { JsonObject } from '../../platform/json.js';
import type { Database, Queryable } from '../../storage/connection.js';
import { models } from '../../storage/model-schema.js';
import type { ModelDescription } from './model-description.js';
import { modelShape } from './model-shape.js';

/** The row that stands for the list as a whole. */
const LIST = '';

/** The provider's descriptions of its models, as rows that all processes share. */
export class ModelStore {
  /** @param source the provider's origin: each has descriptions of its own. */
  constructor(
    private readonly db: Database,
    private readonly source: string,
  ) {}

  /** All stored descriptions of the provider. */
  async load(): Promise<ModelDescription[]> {
    const rows = await this.db
      .select()
      .from(models)
      .where(and(eq(models.source, this.source), ne(models.id, LIST)));
    return rows.map(toDescription);
  }

  /** @returns undefined for a model without a stored description. */
  async find(id: string): Promise<ModelDescription | undefined> {
    if (id === LIST) return undefined;
    const [row] = await this.db
      .select()
      .from(models)
      .where(and(eq(models.source, this.source), eq(models.id, id)));
    return row && toDescription(row);
  }

  /**
   * Claims the refresh of the list for this process.
   *
   * @returns false when a process, this one included, has claimed it since `before`.
   */
  async claim(now: Date, before: Date): Promise<boolean> {
    const taken = await this.db
      .insert(models)
      .values({ source: this.source, id: LIST, described: {}, describedAt: now })
      .onConflictDoUpdate({
        target: [models.source, models.id],
        set: { describedAt: now },
        setWhere: lt(models.describedAt, before),
      })
      .returning({ id: models.id });
    return taken.length > 0;
  }

  /** Sets the time of the last refresh, after one that failed. */
  async postpone(at: Date): Promise<void> {
    await this.db
      .update(models)
      .set({ describedAt: at })
      .where(and(eq(models.source, this.source), eq(models.id, LIST)));
  }

  /** Replaces all descriptions by a list. */
  async replace(described: readonly ModelDescription[], now: Date): Promise<void> {
    await this.db.transaction(async (tx) => {
      await tx.delete(models).where(and(eq(models.source, this.source), ne(models.id, LIST)));
      await this.#insert(tx, described, now);
    });
  }

  /** Stores the description of one model. */
  async add(described: ModelDescription, now: Date): Promise<void> {
    await this.#insert(this.db, [described], now);
  }

  async #insert(
    db: Queryable,
    described: readonly ModelDescription[],
    describedAt: Date,
  ): Promise<void> {
    const rows = described.map(({ id, ...fields }) => ({
      source: this.source,
      id,
      // A description is JSON: it was parsed from it.
      described: fields as JsonObject,
      describedAt,
    }));
    if (rows.length === 0) return;
    // Two processes may store the same description at once.
    await db.insert(models).values(rows).onConflictDoNothing();
  }
}

const storedShape = z.extend(modelShape, { isListed: z.exactOptional(z.boolean()) });

/** A row as it is used: what another version stored, and this one does not know, is left out. */
function toDescription({ id, described }: typeof models.$inferSelect): ModelDescription {
  return { ...parseLeniently(storedShape, described).value, id };
}
