import { index, integer, json, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import type {
  ArchivedEvent,
  StepStopReason,
  Usage,
  AssistantPart,
  AttachmentRef,
  StoredPart,
} from './shapes/stored-step.js';
import { instant, jsonString } from './column-types.js';
import { ofSession, ofTurn } from './schema.js';
import type { CacheBreak, SentPrefix } from './shapes/sent-request.js';
import type { ToolCallStatus } from './shapes/stored-turn.js';

/** The record of turns: messages, steps, the ledger of tool calls, the archive of events. */

export const messages = pgTable(
  'messages',
  {
    id: text('id').primaryKey(),
    sessionId: ofSession(),
    turnId: ofTurn(),
    role: text('role').$type<'user' | 'assistant'>().notNull(),
    /** Parts of a user's message. Assistants' messages are the turn's steps. */
    parts: json('parts').$type<StoredPart[]>().notNull(),
    createdAt: instant('created_at').notNull(),
  },
  (message) => [
    index('messages_by_session').on(message.sessionId, message.createdAt),
    index('messages_by_turn').on(message.turnId),
  ],
);

export const steps = pgTable(
  'steps',
  {
    turnId: ofTurn(),
    step: integer('step').notNull(),
    attempt: integer('attempt').notNull(),
    parts: json('parts').$type<AssistantPart[]>().notNull(),
    stopReason: text('stop_reason').$type<StepStopReason>().notNull(),
    usage: json('usage').$type<Usage>().notNull(),
    /** The request that the step's thinking is bound to; null where thinking is not bound. */
    sent: json('sent').$type<SentPrefix>(),
    /** The model that was called; null: an earlier version stored the step. */
    model: text('model'),
    /** The part of the request that was another than in the call before; null: none was. */
    cacheBroken: text('cache_broken').$type<CacheBreak>(),
    startedAt: instant('started_at').notNull(),
    /** The first event of its reply; null: it has none, or its process did not store it. */
    firstTokenAt: instant('first_token_at'),
    endedAt: instant('ended_at').notNull(),
  },
  (step) => [primaryKey({ columns: [step.turnId, step.step] })],
);

export const toolCalls = pgTable(
  'tool_calls',
  {
    turnId: ofTurn(),
    callId: text('call_id').notNull(),
    step: integer('step').notNull(),
    attempt: integer('attempt').notNull(),
    name: text('name').notNull(),
    input: json('input').$type<unknown>().notNull(),
    status: text('status').$type<ToolCallStatus>().notNull(),
    /**
     * The status, with `output`, of a claimed call whose effect is stored: it stands also if the process dies before
     * the call ends. Null: only the end of the call says it.
     */
    outcome: text('outcome').$type<'success' | 'error'>(),
    output: jsonString('output'),
    /** Files in the output, in order; null: none. */
    files: json('files').$type<AttachmentRef[]>(),
    durationMs: integer('duration_ms'),
    claimedAt: instant('claimed_at').notNull(),
    endedAt: instant('ended_at'),
  },
  (call) => [primaryKey({ columns: [call.turnId, call.callId] })],
);

/** The archive of a turn's events, in order, in runs of one attempt. */
export const turnArchives = pgTable(
  'turn_archives',
  {
    turnId: ofTurn(),
    attempt: integer('attempt').notNull(),
    firstSeq: integer('first_seq').notNull(),
    events: json('events').$type<ArchivedEvent[]>().notNull(),
  },
  (run) => [primaryKey({ columns: [run.turnId, run.attempt, run.firstSeq] })],
);
