import { json, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type { JsonObject } from '../platform/json.js';
import { instant } from './instant.js';

/** What a provider said of its models. */
export const models = pgTable(
  'models',
  {
    /** Who said it: `rehearsal`, or the origin of the provider's address. */
    source: text('source').notNull(),
    /** As requests name the model. The row with an empty id is the list as a whole. */
    id: text('id').notNull(),
    /** `{}` of the list as a whole. */
    described: json('described').$type<JsonObject>().notNull(),
    /** Of the list as a whole: when a process took it upon itself to ask. */
    describedAt: instant('described_at').notNull(),
  },
  (model) => [primaryKey({ columns: [model.source, model.id] })],
);
