import { customType, integer, json, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { instant } from './instant.js';
import { sessions } from './schema.js';

/** The files of turns: what is stored, who uses it, and what was made of it. */

const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({
  dataType: () => 'bytea',
});

/** Content that was stored whole, once, whoever sent it. */
export const blobs = pgTable('blobs', {
  /** Of the content, in lower-case hex. */
  sha256: text('sha256').primaryKey(),
  /** Bytes. */
  size: integer('size').notNull(),
  /** Where the content is: each write has its own, so that no deletion can hit a newer one. */
  contentId: text('content_id').notNull(),
  /** When it was last put; what is newer than a while is kept without a user. */
  touchedAt: instant('touched_at').notNull(),
});

/** Contents that are being written, or whose writer died. */
export const blobWrites = pgTable('blob_writes', {
  contentId: text('content_id').primaryKey(),
  startedAt: instant('started_at').notNull(),
});

/** Content in the database, in pieces. */
export const blobChunks = pgTable(
  'blob_chunks',
  {
    contentId: text('content_id').notNull(),
    /** From 0. */
    position: integer('position').notNull(),
    bytes: bytes('bytes').notNull(),
  },
  (chunk) => [primaryKey({ columns: [chunk.contentId, chunk.position] })],
);

/** What the turns of a session refer to. */
export const sessionBlobs = pgTable(
  'session_blobs',
  {
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    sha256: text('sha256')
      .notNull()
      .references(() => blobs.sha256),
  },
  (use) => [primaryKey({ columns: [use.sessionId, use.sha256] })],
);

/** Files that were sent before the turn that will name them. */
export const uploads = pgTable('uploads', {
  id: text('id').primaryKey(),
  sha256: text('sha256')
    .notNull()
    .references(() => blobs.sha256),
  name: text('name').notNull(),
  mimeType: text('mime_type').notNull(),
  size: integer('size').notNull(),
  /** What was done to it so that the model takes it; null: nothing. */
  changed: text('changed'),
  /** Who sent it, and may name it. */
  principalId: text('principal_id').notNull().default('local'),
  createdAt: instant('created_at').notNull(),
});

/** What was made of a content by one method; made once, so that a model is shown the same again. */
export const extractions = pgTable(
  'extractions',
  {
    sha256: text('sha256')
      .notNull()
      .references(() => blobs.sha256, { onDelete: 'cascade' }),
    method: text('method').notNull(),
    outcome: json('outcome').$type<unknown>().notNull(),
    createdAt: instant('created_at').notNull(),
  },
  (extraction) => [primaryKey({ columns: [extraction.sha256, extraction.method] })],
);
