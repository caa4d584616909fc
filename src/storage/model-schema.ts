import { json, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { JsonObject } from '../platform/json.js';
import { instant } from './instant.js';

/** Models as a provider described them. */
export const models = pgTable(
  'models',
  {
    /** The provider: `rehearsal`, or the origin of the provider's address. */
    source: text('source').notNull(),
    /**
     * The model's name in requests. The row with an empty id stands for the provider's whole list.
     */
    id: text('id').notNull(),
    /** The provider's description; `{}` for the whole list. */
    described: json('described').$type<JsonObject>().notNull(),
    /**
     * Time of the description; for the whole list, the time at which a process began to load it.
     */
    describedAt: instant('described_at').notNull(),
  },
  (model) => [primaryKey({ columns: [model.source, model.id] })],
);
