import { createHash } from 'node:crypto';
import path from 'node:path';
import type { AgentConfig } from '../governance/agent-config.js';
import type { ReceivedFile } from '../attachments/received-file.js';
import { agentLimits, harnessLimits } from '../attachments/check-attachment.js';
import { composePrompt } from '../attachments/compose-prompt.js';
import { resolveAttachments } from '../attachments/resolve-attachments.js';
import type { AttachmentRef } from '../attachments/stored-part.js';
import { loadOptions } from '../options/load-options.js';
import type { OnDisconnect } from '../options/option-rules.js';
import { canonicalJson } from '../platform/json.js';
import { unreachable } from '../platform/exhaustive.js';
import { invalidRequest } from '../platform/typed-error.js';
import { checkProjectRoot } from '../session/check-project-root.js';
import { sessionNotFound } from '../session/session-errors.js';
import { violatedConstraint } from '../storage/constraint.js';
import { acceptTurn, type NewTurn } from './accept-turn.js';
import { decideDelegation, logDelegation } from './decide-delegation.js';
import { idempotencyKeyReused, queueFull, turnInProgress } from './turn-errors.js';
import { findSessionAndTurn, findTurnByKey } from './turn-lookup.js';
import type { TurnServices } from './turn-services.js';
import { wakeWorker } from './wake-worker.js';

export interface TurnSubmission {
  sessionId: string;
  /** As the client sent it; blank is fine beside an attachment. */
  message: string;
  opts: unknown;
  /** Absolute paths. */
  attachments: string[];
  /** Files that came with the request itself. */
  files?: readonly ReceivedFile[];
  idempotencyKey: string | undefined;
  /** Limits where nobody sets any, in place of the server's. */
  limits?: Readonly<AgentConfig>;
  /** The persona was named as an agent: its model and permission mode count where `opts` has none. */
  asAgent?: boolean;
}

export interface SubmittedTurn {
  turnId: string;
  onDisconnect: OnDisconnect;
  /** To be called when something of the turn was seen: it does not wait any more. */
  onBegun?: () => void;
}

/**
 * Everything between a valid body and an accepted turn, in the contract's order: session, provider,
 * busy, options, attachments, quota. Nothing is stored unless all of it passes.
 *
 * A repeated `Idempotency-Key` gives the first turn, also while that one runs.
 *
 * @throws TypedError of each check.
 */
export async function submitTurn(
  services: TurnServices,
  submission: TurnSubmission,
): Promise<SubmittedTurn> {
  const { db, provider, personas, settings, clock } = services;
  const { sessionId, message, opts, attachments, idempotencyKey, limits } = submission;
  if (message.length > settings.maxMessageChars)
    throw messageTooLong(message, settings.maxMessageChars);
  const { session, isBusy, user } = await findSessionAndTurn(db, sessionId);
  const requestHash = hashRequest(submission);
  const earlier = await findJoinable(services, submission, requestHash);
  if (earlier !== undefined) return earlier;
  provider.assertReady();
  if (isBusy) {
    // What holds the lock may be the same request, accepted since the first look.
    const racing = await findJoinable(services, submission, requestHash);
    if (racing !== undefined) return racing;
    throw turnInProgress(sessionId);
  }
  await checkProjectRoot(session.projectRoot, personas.instructionRoot);
  const { environmentModel, defaultLimits, prices } = settings;
  const asAgent = submission.asAgent === true;
  const subject = { ...session, user, asAgent, ...(limits === undefined ? {} : { limits }) };
  const tiers = { personas, environmentModel, defaultLimits, prices };
  const { resolution, persona } = await loadOptions(tiers, subject, opts);
  const { decisionTree = 'default', agentConfig } = resolution.options;
  // Only for its error: a tree that nobody registered is refused before anything is stored.
  services.trees.create(decisionTree, agentConfig);
  const resolved = await resolveAttachments(services.attachments, {
    named: attachments,
    sent: submission.files ?? [],
    roots: [session.projectRoot, ...services.attachments.roots],
    limits: asAgent ? agentLimits : harnessLimits,
  });
  const { parts } = composePrompt(message, resolved);
  await keepFiles(services, sessionId, resolved.files);
  const rejectedAttachments = resolved.errors.map((error) => ({
    name: path.basename(error.path),
    reason: error.reason,
  }));
  const now = new Date(clock.now());
  const request = { message, opts, attachments, rejectedAttachments };
  const { subagentGovernance } = resolution.options;
  const delegation = await decideDelegation(services, persona, subagentGovernance);
  const asked = { sessionId, request, requestHash, idempotencyKey };
  const turn = { ...asked, options: resolution, delegation, parts, now };
  const turnId = await accept(services, turn);
  if (turnId === undefined) return submitTurn(services, submission);
  logDelegation(services, { turnId, sessionId, persona: persona.name }, delegation);
  // What people say is for eyes that asked for it.
  services.logger.debug({ turnId, sessionId, request }, 'turn accepted');
  const { onDisconnect, priority } = resolution.options;
  const onBegun = wakeWorker(services, turnId, priority);
  return { turnId, onDisconnect, onBegun };
}

/** They stay as long as the session, also where the turn is refused in the next moment. */
async function keepFiles(
  { attachments }: TurnServices,
  sessionId: string,
  files: readonly AttachmentRef[],
): Promise<void> {
  const hashes = files.map(({ sha256 }) => sha256);
  try {
    await attachments.store.keep(sessionId, hashes);
  } catch (error) {
    const isGone = violatedConstraint(error) === 'session_blobs_session_id_fkey';
    throw isGone ? sessionNotFound(sessionId) : error;
  }
}

/** Undefined: the key was taken by a racing request, whose turn is the one to join. */
async function accept(services: TurnServices, turn: NewTurn): Promise<string | undefined> {
  const { queueDepth } = services.settings;
  const acceptance = await acceptTurn(services.db, turn, queueDepth);
  switch (acceptance.type) {
    case 'accepted':
      return acceptance.turnId;
    case 'key-taken':
      return undefined;
    case 'busy':
      // Of two racing requests with one key, the lock may be what the second one met first.
      if (await isKeyTaken(services, turn)) return undefined;
      throw turnInProgress(turn.sessionId);
    case 'session-gone':
      throw sessionNotFound(turn.sessionId);
    case 'queue-full':
      throw queueFull(queueDepth);
    default:
      return unreachable(acceptance);
  }
}

async function isKeyTaken(services: TurnServices, turn: NewTurn): Promise<boolean> {
  if (turn.idempotencyKey === undefined) return false;
  return (await findTurnByKey(services.db, turn.sessionId, turn.idempotencyKey)) !== undefined;
}

async function findJoinable(
  services: TurnServices,
  { sessionId, idempotencyKey }: TurnSubmission,
  requestHash: string,
): Promise<SubmittedTurn | undefined> {
  if (idempotencyKey === undefined) return undefined;
  const turn = await findTurnByKey(services.db, sessionId, idempotencyKey);
  if (turn === undefined) return undefined;
  if (turn.requestHash !== requestHash) throw idempotencyKeyReused(turn.id);
  return { turnId: turn.id, onDisconnect: turn.options.options.onDisconnect };
}

function hashRequest({ message, opts, attachments, files = [] }: TurnSubmission): string {
  const sent = files.map(({ name, sha256 }) => ({ name, sha256 }));
  const request = { message, opts, attachments, ...(sent.length === 0 ? {} : { sent }) };
  return createHash('sha256').update(canonicalJson(request)).digest('hex');
}

function messageTooLong(message: string, limit: number) {
  return invalidRequest(
    `'message' has ${message.length} characters; the limit is ${limit}. Send the rest as an attachment, or raise TURNPIKE_MAX_MESSAGE_CHARS.`,
    { limit },
  );
}
