import {
  customType,
  integer,
  json,
  pgTable,
  primaryKey,
  text,
  foreignKey,
  index,
} from 'drizzle-orm/pg-core';
import { instant } from './column-types.js';
import { ofSession } from './schema.js';

/** Tables of files: contents, their use by sessions, uploads, extracted text. */

const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({
  dataType: () => 'bytea',
});

/** Contents, each stored once for all senders. */
export const blobs = pgTable('blobs', {
  /** Hash of the content, in lower-case hex. */
  sha256: text('sha256').primaryKey(),
  /** Size of the content, in bytes. */
  size: integer('size').notNull(),
  /** Key of the stored bytes: unique for each write, so that a deletion never hits a newer copy. */
  contentId: text('content_id').notNull(),
  /** Time of the last upload: a recent content is kept without a user. */
  touchedAt: instant('touched_at').notNull(),
});

/** Contents in writing, or left by a writer that died. */
export const blobWrites = pgTable('blob_writes', {
  contentId: text('content_id').primaryKey(),
  startedAt: instant('started_at').notNull(),
});

/** Bytes of a content in the database, in pieces. */
export const blobChunks = pgTable(
  'blob_chunks',
  {
    contentId: text('content_id').notNull(),
    /** Index of the piece, from 0. */
    position: integer('position').notNull(),
    bytes: bytes('bytes').notNull(),
  },
  (chunk) => [primaryKey({ columns: [chunk.contentId, chunk.position] })],
);

/** Contents that the turns of a session refer to. */
export const sessionBlobs = pgTable(
  'session_blobs',
  {
    sessionId: ofSession(),
    sha256: text('sha256')
      .notNull()
      .references(() => blobs.sha256),
  },
  (use) => [primaryKey({ columns: [use.sessionId, use.sha256] })],
);

/** Files sent before the turn that names them. */
export const uploads = pgTable('uploads', {
  id: text('id').primaryKey(),
  sha256: text('sha256')
    .notNull()
    .references(() => blobs.sha256),
  name: text('name').notNull(),
  mimeType: text('mime_type').notNull(),
  size: integer('size').notNull(),
  /** Conversion that made the file fit for the model; null: none. */
  changed: text('changed'),
  /** The sender, who alone may name the file. */
  principalId: text('principal_id').notNull().default('local'),
  createdAt: instant('created_at').notNull(),
});

/**
 * Results of extraction, for each content and method: made once, so that a model sees the same
 * again.
 */
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

/** Tables of memory: files that turns of an agent keep for later turns of the same principal. */

/** A memory: the files of a principal and an agent. A writer locks its row. */
export const memories = pgTable(
  'memories',
  {
    principalId: text('principal_id').notNull(),
    agent: text('agent').notNull(),
    /** The number of the last write; never goes back. */
    revision: integer('revision').notNull(),
  },
  (memory) => [primaryKey({ columns: [memory.principalId, memory.agent] })],
);

export const memoryFiles = pgTable(
  'memory_files',
  {
    principalId: text('principal_id').notNull(),
    agent: text('agent').notNull(),
    /** Absolute, below `/memories`. */
    path: text('path').notNull(),
    /** The memory's revision of the write. */
    version: integer('version').notNull(),
    content: text('content').notNull(),
    /** Bytes of the content in UTF-8. */
    bytes: integer('bytes').notNull(),
    /** The turn and the tool call that wrote it; null: the owner did, by the API. */
    turnId: text('turn_id'),
    callId: text('call_id'),
    updatedAt: instant('updated_at').notNull(),
  },
  (file) => [
    primaryKey({ columns: [file.principalId, file.agent, file.path] }),
    foreignKey({
      columns: [file.principalId, file.agent],
      foreignColumns: [memories.principalId, memories.agent],
    }).onDelete('cascade'),
    index('memory_files_by_time').on(file.updatedAt),
  ],
);

/** The versions of files that a session's model was shown last: a write to another one is refused. */
export const memorySeen = pgTable(
  'memory_seen',
  {
    sessionId: ofSession(),
    agent: text('agent').notNull(),
    path: text('path').notNull(),
    version: integer('version').notNull(),
  },
  (seen) => [primaryKey({ columns: [seen.sessionId, seen.agent, seen.path] })],
);
