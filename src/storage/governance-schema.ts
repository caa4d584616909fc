import {
  bigint,
  boolean,
  check,
  date,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm';
import type { JsonObject } from '../platform/json.js';
import { instant, jsonString } from './column-types.js';
import type { AttachmentRef } from './shapes/stored-step.js';
import type { Quorum } from './shapes/stored-options.js';
import { ofSession, ofTurn } from './schema.js';

/** Tables of approvals, steered messages, API keys, budgets and the audit log. */

/**
 * `tool`: may the call run? `unknown-outcome`: the process of the call died; may the call run
 * again? `client-tool`: the client runs the call; with what result? `elicitation`: the call itself asks;
 * what does the person say? `mcp-authorize`: will the person log in at the call's MCP server?
 */
export type ApprovalKind =
  | 'tool'
  | 'unknown-outcome'
  | 'client-tool'
  | 'elicitation'
  | 'mcp-authorize';

/**
 * `answer`: the output of a client's tool, or what a question of a call is answered with. `cancel`: such a question was
 * closed without an answer. `cancelled`: the turn ended before a decision.
 */
export const approvalDecisions = [
  'approve',
  'approve-session',
  'deny',
  'answer',
  'cancel',
  'cancelled',
] as const;
export type ApprovalDecision = (typeof approvalDecisions)[number];

/** A question to a person. The turn is parked until the answer, or until `expiresAt`. */
export const approvals = pgTable(
  'approvals',
  {
    id: text('id').primaryKey(),
    turnId: ofTurn(),
    sessionId: ofSession(),
    callId: text('call_id').notNull(),
    kind: text('kind').$type<ApprovalKind>().notNull(),
    /** Which question of its kind it is in its call, from 1. */
    round: integer('round').notNull().default(1),
    name: text('name').notNull(),
    /** Arguments as the model sent them. */
    input: json('input').$type<JsonObject>().notNull(),
    /** Reason of the question. */
    reason: text('reason').notNull(),
    /**
     * Null: open. Written once; only the turn's end replaces a decision not yet applied by
     * `cancelled`.
     */
    decision: text('decision').$type<ApprovalDecision>(),
    /** The principal who decided, or `deadline`; of an approval with `awaits`, `APPROVERS`. */
    decidedBy: text('decided_by'),
    /** Who decides: all of these quorums. Null: the principal whose turn asks. Never changed. */
    awaits: json('awaits').$type<Quorum[]>(),
    /** Text for the model, with a denial. */
    message: text('message'),
    /** Arguments that replace `input`; null: none. */
    editedInput: json('edited_input').$type<JsonObject>(),
    /** Rule granted by `approve-session`; null: a rule for this call alone. */
    grantRule: text('grant_rule'),
    /** What a call asks, as clients see it. Null: it is a question about a call. */
    question: json('question').$type<JsonObject>(),
    /** State that the call keeps until the answer: JSON, sealed by the vault. No client sees it. Null: none. */
    callState: text('call_state'),
    /** Output of the client's tool; the JSON object that a question of a call is answered with. */
    output: jsonString('output'),
    /** Files in the output; null: none. */
    files: json('files').$type<AttachmentRef[]>(),
    /** Whether the output is an error. */
    isError: boolean('is_error'),
    /** Decision at `expiresAt`. */
    onTimeout: text('on_timeout').$type<'approve' | 'deny'>().notNull(),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
    decidedAt: instant('decided_at'),
    /** The attempt of the turn that applied the decision. */
    appliedAttempt: integer('applied_attempt'),
  },
  (approval) => [
    unique('approvals_once').on(approval.turnId, approval.callId, approval.kind, approval.round),
    index('approvals_open')
      .on(approval.expiresAt)
      .where(sql`decision is null`),
    index('approvals_unapplied')
      .on(approval.turnId)
      .where(sql`decision is not null and applied_attempt is null`),
    index('approvals_by_session').on(approval.sessionId, approval.createdAt),
    index('approvals_awaited')
      .on(approval.createdAt, approval.id)
      .where(sql`decision is null and awaits is not null`),
    // A process of the release before, which does not know quorums, decides none.
    check(
      'approvals_decided_by_approvers',
      sql`awaits is null or decision is null or decided_by in ('approvers', 'deadline', 'server')`,
    ),
  ],
);

/** Stands in `decided_by` for the people of a quorum, whose answers are rows. */
export const APPROVERS = 'approvers';

/** Answers of people to approvals with `awaits`. Together they decide. A row is never changed. */
export const approvalAnswers = pgTable(
  'approval_answers',
  {
    approvalId: text('approval_id')
      .notNull()
      .references(() => approvals.id, { onDelete: 'cascade' }),
    principalId: text('principal_id').notNull(),
    /** Who approved may still deny, until the approval is decided. */
    decision: text('decision').$type<'approve' | 'deny'>().notNull(),
    /** Roles that the person answered with. */
    roles: json('roles').$type<string[]>().notNull(),
    /** SHA-256 of the call that the person was shown, in hex: an answer counts for that call alone. */
    digest: text('digest').notNull(),
    /** The credential: its kind, id and issuer. */
    credential: json('credential')
      .$type<{ kind: string; id?: string; issuer?: string; tokenId?: string }>()
      .notNull(),
    at: instant('at').notNull(),
  },
  (answer) => [
    primaryKey({ columns: [answer.approvalId, answer.principalId, answer.decision] }),
    index('approval_answers_by_principal').on(answer.principalId),
  ],
);

/** Rules that people approved for the rest of a session: `bash(git status*)`. */
export const sessionGrants = pgTable(
  'session_grants',
  {
    sessionId: ofSession(),
    rule: text('rule').notNull(),
    approvalId: text('approval_id'),
    createdAt: instant('created_at').notNull(),
  },
  (grant) => [primaryKey({ columns: [grant.sessionId, grant.rule] })],
);

/** Messages steered into a running turn. */
export const steeredMessages = pgTable(
  'joined_messages',
  {
    id: text('id').primaryKey(),
    sessionId: ofSession(),
    turnId: ofTurn(),
    /** Order among the messages of a turn, from 1. */
    position: integer('position').notNull(),
    text: jsonString('text').notNull(),
    /** The client's own id of it; null: none. */
    clientId: jsonString('client_id'),
    requestHash: text('request_hash').notNull(),
    idempotencyKey: text('idempotency_key'),
    /**
     * Step after which the message was delivered to the model; 0: before the first; null: not yet.
     */
    afterStep: integer('after_step'),
    createdAt: instant('created_at').notNull(),
  },
  (message) => [
    unique().on(message.turnId, message.position),
    unique().on(message.sessionId, message.idempotencyKey),
  ],
);

/** `texts`: with `admin`, what the turns of others say. */
export const keyScopes = ['turns', 'approvals', 'admin', 'texts', 'metrics', 'tokens'] as const;
export type KeyScope = (typeof keyScopes)[number];

/** Limits of a principal; a missing field has the server's default. */
export interface PrincipalLimits {
  requestsPerMinute?: number;
  /** Most turns that have not ended. */
  concurrentTurns?: number;
  tokensPerDay?: number;
  usdPerDay?: number;
}

export const apiKeys = pgTable('api_keys', {
  id: text('id').primaryKey(),
  /** Owner of the key. A principal may own several. */
  principalId: text('principal_id').notNull(),
  name: text('name').notNull(),
  /** SHA-256 of the secret, in hex. The secret itself is not stored. */
  secretHash: text('secret_hash').notNull().unique(),
  scopes: json('scopes').$type<KeyScope[]>().notNull(),
  limits: json('limits').$type<PrincipalLimits>().notNull(),
  /** Absolute folders that the key's sessions may work in, in addition to those open to all; null: none. */
  projectRoots: json('project_roots').$type<string[]>(),
  /** Principals that it may make page tokens for: `app:*`; null: its own alone. */
  mints: text('mints'),
  /** Roles in which its principal may decide about calls of others; null: none. */
  approves: json('approves').$type<string[]>(),
  expiresAt: instant('expires_at'),
  revokedAt: instant('revoked_at'),
  lastUsedAt: instant('last_used_at'),
  createdAt: instant('created_at').notNull(),
});

/**
 * Principals whose page tokens were ended, by the SHA-256 of their ids: the rows outlive what is stored of somebody.
 */
export const principalEpochs = pgTable('principal_epochs', {
  principalHash: text('principal_hash').primaryKey(),
  /** Counts from 0, which has no row; a page token is of the epoch that it was made in. */
  epoch: integer('epoch').notNull(),
  raisedAt: instant('raised_at').notNull(),
  /** When the access of a person who left was ended: earlier tokens of issuers are refused; null: it was not. */
  accessEndedAt: instant('access_ended_at'),
});

/**
 * Grants let schedules of somebody with a token act while no token is there. An ended one has no row. What it allows is
 * not stored: it follows from the groups, by the roles of the time at which it acts.
 */
export const grants = pgTable(
  'grants',
  {
    id: text('id').primaryKey(),
    principalId: text('principal_id').notNull(),
    /** Name of the identity provider. */
    issuer: text('issuer').notNull(),
    /** Groups of the person, as its newest token has them. */
    groups: json('groups').$type<string[]>().notNull(),
    /** The time at which that token was issued. */
    issuedAt: instant('issued_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
    createdAt: instant('created_at').notNull(),
    renewedAt: instant('renewed_at').notNull(),
  },
  (grant) => [uniqueIndex('grants_by_principal').on(grant.principalId)],
);

/**
 * Log-ins of people in the console. One that was ended has no row. As of grants, what it allows follows from the groups,
 * by the roles of the time of a request.
 */
export const logins = pgTable(
  'logins',
  {
    id: text('id').primaryKey(),
    /** SHA-256 of the cookie's value, in hex. The value itself is not stored. */
    secretHash: text('secret_hash').notNull().unique(),
    principalId: text('principal_id').notNull(),
    /** Name of the identity provider. */
    issuer: text('issuer').notNull(),
    /** Name of the person as the provider shows it. */
    name: text('name').notNull(),
    groups: json('groups').$type<string[]>().notNull(),
    /** The time at which the provider issued the ID token. */
    issuedAt: instant('issued_at').notNull(),
    createdAt: instant('created_at').notNull(),
    /** To the minute. */
    lastUsedAt: instant('last_used_at').notNull(),
    /** Its end, however often it is used. */
    expiresAt: instant('expires_at').notNull(),
  },
  (login) => [index('logins_by_principal').on(login.principalId)],
);

/** Secrets that the deployment makes for itself, once. */
export const serverSecrets = pgTable('server_secrets', {
  /** What it is for. */
  name: text('name').primaryKey(),
  /** Base64url. */
  secret: text('secret').notNull(),
  createdAt: instant('created_at').notNull(),
});

/** Usage and reservations of a principal on a day, in UTC. */
export const usageDays = pgTable(
  'usage_days',
  {
    principalId: text('principal_id').notNull(),
    day: date('day', { mode: 'string' }).notNull(),
    tokens: bigint('tokens', { mode: 'number' }).notNull().default(0),
    /** Millionths of a dollar. */
    microUsd: bigint('micro_usd', { mode: 'number' }).notNull().default(0),
    /** The reserved part of `tokens` and `microUsd`, by calls in flight. */
    reservedTokens: bigint('reserved_tokens', { mode: 'number' }).notNull().default(0),
    reservedMicroUsd: bigint('reserved_micro_usd', { mode: 'number' }).notNull().default(0),
  },
  (usage) => [primaryKey({ columns: [usage.principalId, usage.day] })],
);

/**
 * Usage of turns that were deleted: a trigger of `turns` adds to it, so that what was spent does not change with what is
 * stored. An empty text: none.
 */
export const usageKept = pgTable(
  'usage_kept',
  {
    /** The day of the turns, in UTC. */
    day: date('day', { mode: 'string' }).notNull(),
    principalId: text('principal_id').notNull(),
    keyId: text('key_id').notNull(),
    agent: text('agent').notNull(),
    model: text('model').notNull(),
    turns: bigint('turns', { mode: 'number' }).notNull(),
    failed: bigint('failed', { mode: 'number' }).notNull(),
    tokens: bigint('tokens', { mode: 'number' }).notNull(),
    /** Millionths of a dollar. */
    microUsd: bigint('micro_usd', { mode: 'number' }).notNull(),
  },
  (kept) => [
    primaryKey({ columns: [kept.day, kept.principalId, kept.keyId, kept.agent, kept.model] }),
  ],
);

/** The key that seals the secrets of a principal. It is stored wrapped by a master key, which no table has. */
export const dataKeys = pgTable('data_keys', {
  principalId: text('principal_id').primaryKey(),
  /** Sealed values name it. A principal that was forgotten gets another one. */
  id: text('id').notNull(),
  wrapped: text('wrapped').notNull(),
  /** The name of the master key. */
  wrappedBy: text('wrapped_by').notNull(),
  createdAt: instant('created_at').notNull(),
  wrappedAt: instant('wrapped_at').notNull(),
});

/** The audit log: who did what. Never updated. */
export const auditLog = pgTable(
  'audit_log',
  {
    id: text('id').primaryKey(),
    at: instant('at').notNull(),
    principalId: text('principal_id').notNull(),
    action: text('action').notNull(),
    /** Id of the object of the action. */
    subject: text('subject').notNull(),
    details: json('details').$type<Record<string, unknown>>().notNull(),
  },
  (entry) => [index('audit_log_by_time').on(entry.at)],
);
