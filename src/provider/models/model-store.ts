import { and, eq, lt, ne } from 'drizzle-orm';
import * as z from 'zod/mini';
import { parseLeniently, parseValue } from '../../platform/parsing/parse-value.js';
import type { JsonObject } from '../../platform/json.js';
import type { Database, Queryable } from '../../storage/connection.js';
import { models } from '../../storage/schema.js';
import type { ModelDescription } from '../model-catalogue.js';
import { wholeNumber } from '../../platform/parsing/shapes.js';
import { efforts } from '../../storage/shapes/stored-options.js';
import { lifecycles, thinkingKinds } from '../model.js';
import { loadFile } from '../../platform/parsing/load-file.js';
import { parseJson } from '../../platform/parsing/parse-text.js';

const text = z.string().check(z.regex(/^.{1,200}$/s, 'must be text of 1 to 200 characters'));
const count = wholeNumber(1, 1_000_000_000);
const dollars = z.number().check(z.minimum(0, 'must be a number of 0 or more'));
const flag = z.boolean();
const effort = z.enum(efforts);

const someOf = <T>(item: z.ZodMiniType<T>) =>
  z
    .array(item)
    .check(z.refine((items) => new Set(items).size === items.length, 'must have each value once'));

const rates = {
  input: dollars,
  output: dollars,
  cacheWrite5m: z.exactOptional(dollars),
  cacheWrite1h: z.exactOptional(dollars),
  cacheRead: z.exactOptional(dollars),
};

/** What an operator or a provider says of a model: any of its fields, but its id. */
const modelShape = z.exactPartial(
  z.strictObject({
    name: text,
    lifecycle: z.enum(lifecycles),
    retiresAt: z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a date, YYYY-MM-DD')),
    replacement: text,
    contextWindow: count,
    maxOutput: count,
    thinking: someOf(z.enum(thinkingKinds)),
    thinksByDefault: z.enum(['always', 'on', 'off']),
    efforts: someOf(effort),
    effortsWithoutThinking: someOf(effort),
    defaultEffort: effort,
    takesSystemMessages: flag,
    bindsThinking: flag,
    seesImages: flag,
    readsPdfs: flag,
    structuredOutputs: flag,
    callsTools: flag,
    mostImages: wholeNumber(0, 100_000),
    serverTools: z.strictObject({
      webSearch: flag,
      codeExecution: flag,
      webFetch: z.exactOptional(flag),
    }),
    toolSearch: flag,
    cacheMinimum: count,
    tokenScale: z
      .number()
      .check(z.refine((scale) => scale > 0 && scale <= 10, 'must be above 0 and at most 10')),
    price: z.strictObject({
      ...rates,
      longPrompt: z.exactOptional(z.strictObject({ ...rates, above: count })),
    }),
  }),
);

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

const fileShape = z.record(
  z
    .string()
    .check(z.regex(/^[\x21-\x7e]{1,200}$/, "is no model's id: 1 to 200 characters without spaces")),
  z.extend(modelShape, { sameAs: z.exactOptional(text) }),
);

/** What the operator says of a model. */
export type ListedModel = ModelDescription & {
  /** The model that it is, under another name: a deployment, an inference profile, an alias of a gateway. */
  sameAs?: string;
};

/**
 * Loads the operator's descriptions of models: a JSON file with an object of models by id, each with
 * the fields that differ.
 *
 * @param file undefined: no descriptions.
 * @throws FileInvalidError that names each model and field with a fault.
 */
export async function loadModels(file: string | undefined): Promise<ListedModel[]> {
  if (file === undefined) return [];
  const models = await loadFile(file, {
    variable: 'TURNPIKE_MODELS',
    parseText: parseJson,
    check: (value) => parseValue(fileShape, value),
  });
  return Object.entries(models).map(([id, fields]) => ({ ...fields, id }));
}
