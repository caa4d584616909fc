import { preferencesOf } from '../../options/preferences/turn-preferences.js';
import type { StoredPreferences } from '../../options/preferences/preferences-store.js';
import path from 'node:path';
import { agentLimits, harnessLimits } from '../../attachments/check/check-attachment.js';
import { checkAllTaken, composePrompt } from '../../attachments/show/compose-prompt.js';
import { resolveAttachments } from '../../attachments/check/resolve-attachments.js';
import type { AttachmentRef } from '../../storage/shapes/stored-part.js';
import { validateAgentConfig } from '../../governance/decision-tree/agent-config.js';
import { compact } from '../../platform/compact.js';
import { dayLimitsOf } from '../../governance/limits/day-budget.js';
import { sessionNotFound } from '../../session/session-errors.js';
import type { SessionRow } from '../../session/session-store.js';
import { violatedConstraint } from '../../storage/database-errors.js';
import { checkClientTools } from './client-tools.js';
import { decideDelegation } from './decide-delegation.js';
import type { NewTurn } from './insert-turn.js';
import type { TurnServices } from '../state/turn-services.js';
import type { TurnSubmission } from './turn-submission.js';

export interface Preparation {
  submission: TurnSubmission;
  session: SessionRow;
  /** What its user has set. */
  user: StoredPreferences;
  requestHash: string;
}

/**
 * What a turn is stored with, checked in the contract's order: project root, options, attachments.
 *
 * @throws TypedError of each check.
 */
export async function prepareTurn(
  services: TurnServices,
  { submission, session, user: userSettings, requestHash }: Preparation,
): Promise<{ turn: NewTurn; persona: string }> {
  const { projectRoots, clock } = services;
  const { sessionId, message, opts, attachments, idempotencyKey, limits, problems } = submission;
  const { principal } = submission;
  const { projectRoot, ownPaths } =
    principal === undefined
      ? await projectRoots.openForOwner(session.projectRoot, session.principalId)
      : await projectRoots.open(session.projectRoot, principal);
  const asAgent = submission.asAgent === true;
  const subject = {
    ...session,
    user: validateAgentConfig(userSettings).config,
    preferences: preferencesOf(userSettings, { isOracle: submission.isOracle === true }),
    asAgent,
    mayApprove: principal?.scopes.includes('approvals') ?? true,
    ...compact({ wireMode: submission.wireMode, limits }),
  };
  const { resolution, persona } = await services.options.load(subject, opts);
  const { decisionTree = 'default', agentConfig, subagentGovernance } = resolution.options;
  checkClientTools(resolution.options.clientTools ?? [], services.tools.list());
  services.trees.assertUsable(decisionTree, agentConfig);
  const { principalId } = session;
  const resolved = await resolveAttachments(services.attachments, {
    named: attachments,
    sent: submission.files ?? [],
    roots: [projectRoot, ...services.attachments.roots],
    closed: ownPaths.closed,
    hidden: ownPaths.hidden,
    principalId,
    limits: asAgent ? agentLimits : harnessLimits,
  });
  const rejectedAttachments = resolved.errors.map(({ path: named, ...why }) => ({
    name: path.basename(named),
    ...why,
  }));
  for (const rejected of rejectedAttachments) {
    services.logger.info({ sessionId, ...rejected }, 'a file was refused');
  }
  if (submission.needsAllFiles === true) checkAllTaken(resolved);
  const { parts } = composePrompt(message, resolved);
  await keepFiles(services, sessionId, resolved.files);
  const now = new Date(clock.now());
  const requestId = submission.principal?.requestId;
  const request = {
    message,
    opts,
    attachments,
    rejectedAttachments,
    ...compact({ requestId }),
  };
  const delegation = await decideDelegation(services, persona, subagentGovernance);
  const budget = dayLimitsOf(submission.principal?.limits);
  const endsAlone = resolution.options.onDisconnect === 'cancel';
  const readerProcess = endsAlone ? submission.readerProcess : undefined;
  const options = { ...resolution, problems: [...(problems ?? []), ...resolution.problems] };
  const asked = { sessionId, principalId, budget, request, requestHash, idempotencyKey };
  return {
    turn: { ...asked, options, delegation, parts, now, readerProcess },
    persona: persona.name,
  };
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
