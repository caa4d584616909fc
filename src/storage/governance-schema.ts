import {
  bigint,
  boolean,
  date,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  text,
  unique,
} from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm';
import type { JsonObject } from '../platform/json.js';
import { instant } from './instant.js';
import { jsonString } from './json-string.js';
import { sessions, turns } from './schema.js';

/** What people decide and send while a turn runs, who they are, and what they may spend. */

/**
 * `tool`: may the call run? `unknown-outcome`: its process died; may it run again? `client-tool`:
 * the client runs it; what did it give?
 */
export type ApprovalKind = 'tool' | 'unknown-outcome' | 'client-tool';

/** `answer`: the output of a client's tool. `cancelled`: the turn ended before anybody said. */
export type ApprovalDecision = 'approve' | 'approve-session' | 'deny' | 'answer' | 'cancelled';

/** A question to a person. Its turn waits for the answer, or for `expiresAt`. */
export const approvals = pgTable(
  'approvals',
  {
    id: text('id').primaryKey(),
    turnId: text('turn_id')
      .notNull()
      .references(() => turns.id, { onDelete: 'cascade' }),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    callId: text('call_id').notNull(),
    kind: text('kind').$type<ApprovalKind>().notNull(),
    name: text('name').notNull(),
    /** As the model asked for it. */
    input: json('input').$type<JsonObject>().notNull(),
    /** Why it is asked. */
    reason: text('reason').notNull(),
    /** Null: open. Written once, but that an end cancels what its turn had not noted. */
    decision: text('decision').$type<ApprovalDecision>(),
    /** Who decided: a principal, or `deadline`. */
    decidedBy: text('decided_by'),
    /** To the model, with a denial. */
    message: text('message'),
    /** What runs instead of `input`; null: `input`. */
    editedInput: json('edited_input').$type<JsonObject>(),
    /** With `approve-session`: what is allowed from then on; null: this call again. */
    grantRule: text('grant_rule'),
    /** What the client's tool gave. */
    output: jsonString('output'),
    /** Whether that is an error. */
    isError: boolean('is_error'),
    /** What is decided when nobody does. */
    onTimeout: text('on_timeout').$type<'approve' | 'deny'>().notNull(),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
    decidedAt: instant('decided_at'),
    /** The attempt of its turn that took note of the decision. */
    appliedAttempt: integer('applied_attempt'),
  },
  (approval) => [
    unique().on(approval.turnId, approval.callId, approval.kind),
    index('approvals_open')
      .on(approval.expiresAt)
      .where(sql`decision is null`),
    index('approvals_unapplied')
      .on(approval.turnId)
      .where(sql`decision is not null and applied_attempt is null`),
    index('approvals_by_session').on(approval.sessionId, approval.createdAt),
  ],
);

/** Rules that people have approved for the rest of a session: `bash(git status*)`. */
export const sessionGrants = pgTable(
  'session_grants',
  {
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    rule: text('rule').notNull(),
    approvalId: text('approval_id'),
    createdAt: instant('created_at').notNull(),
  },
  (grant) => [primaryKey({ columns: [grant.sessionId, grant.rule] })],
);

/** A message that joined a turn while it ran. */
export const joinedMessages = pgTable(
  'joined_messages',
  {
    id: text('id').primaryKey(),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    turnId: text('turn_id')
      .notNull()
      .references(() => turns.id, { onDelete: 'cascade' }),
    /** Among those of its turn, from 1. */
    position: integer('position').notNull(),
    text: jsonString('text').notNull(),
    requestHash: text('request_hash').notNull(),
    idempotencyKey: text('idempotency_key'),
    /** The model hears it after this step; 0: before the first; null: not yet. */
    afterStep: integer('after_step'),
    createdAt: instant('created_at').notNull(),
  },
  (message) => [
    unique().on(message.turnId, message.position),
    unique().on(message.sessionId, message.idempotencyKey),
  ],
);

export type KeyScope = 'turns' | 'approvals' | 'admin';

/** What a principal may use; a field that is missing has the server's default. */
export interface PrincipalLimits {
  requestsPerMinute?: number;
  /** Turns that have not ended. */
  concurrentTurns?: number;
  tokensPerDay?: number;
  usdPerDay?: number;
}

export const apiKeys = pgTable('api_keys', {
  id: text('id').primaryKey(),
  /** Whose it is. Several keys may be one principal's. */
  principalId: text('principal_id').notNull(),
  name: text('name').notNull(),
  /** SHA-256 of the secret, in hex. The secret itself is nowhere. */
  secretHash: text('secret_hash').notNull().unique(),
  scopes: json('scopes').$type<KeyScope[]>().notNull(),
  limits: json('limits').$type<PrincipalLimits>().notNull(),
  /** Folders that its sessions may work in beside those open to all, absolute; null: none. */
  projectRoots: json('project_roots').$type<string[]>(),
  expiresAt: instant('expires_at'),
  revokedAt: instant('revoked_at'),
  lastUsedAt: instant('last_used_at'),
  createdAt: instant('created_at').notNull(),
});

/** What a principal has used and reserved on a day, in UTC. */
export const usageDays = pgTable(
  'usage_days',
  {
    principalId: text('principal_id').notNull(),
    day: date('day', { mode: 'string' }).notNull(),
    tokens: bigint('tokens', { mode: 'number' }).notNull().default(0),
    /** Millionths of a dollar. */
    microUsd: bigint('micro_usd', { mode: 'number' }).notNull().default(0),
    /** Of both, what calls under way have reserved. */
    reservedTokens: bigint('reserved_tokens', { mode: 'number' }).notNull().default(0),
    reservedMicroUsd: bigint('reserved_micro_usd', { mode: 'number' }).notNull().default(0),
  },
  (usage) => [primaryKey({ columns: [usage.principalId, usage.day] })],
);

/** Who did what, for those who have to know later. Never updated. */
export const auditLog = pgTable(
  'audit_log',
  {
    id: text('id').primaryKey(),
    at: instant('at').notNull(),
    principalId: text('principal_id').notNull(),
    action: text('action').notNull(),
    /** The id of what it was done to. */
    subject: text('subject').notNull(),
    details: json('details').$type<Record<string, unknown>>().notNull(),
  },
  (entry) => [index('audit_log_by_time').on(entry.at)],
);
