import path from 'node:path';
import { forbiddenAgent } from '../../access/access-errors.js';
import { boundSession, isKnownElsewhere } from '../../access/principal.js';
import { Inject, Injectable } from '@nestjs/common';
import { agentLimits, harnessLimits } from '../../attachments/file-limits.js';
import {
  checkAllTaken,
  composePrompt,
  resolveAttachments,
} from '../../attachments/resolve-attachments.js';
import type { ReceivedFile } from '../../attachments/blob-store.js';
import { PersonaLibrary } from '../../agents/persona-library.js';
import { Attachments } from '../../attachments/attachments.js';
import { CONFIG, type Config } from '../../config/config.js';
import { DecisionTrees } from '../../governance/decision-tree/decision-trees.js';
import { OptionLoader, type OptionSubject } from '../../options/option-loader.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';
import { ProjectRoots } from '../../session/project-roots.js';
import { ToolRegistry } from '../../tools/registry.js';
import { preferencesOf, type StoredPreferences } from '../../options/preferences.js';
import type { AttachmentRef } from '../../storage/shapes/stored-step.js';
import { validateAgentConfig } from '../../governance/decision-tree/agent-config.js';
import { compact } from '../../platform/compact.js';
import { dayLimitsOf } from '../../governance/limits/day-budget.js';
import { sessionNotFound } from '../../session/session-errors.js';
import type { SessionRow } from '../../session/session-store.js';
import { violatedConstraint } from '../../storage/database-errors.js';
import { MEMORY_TOOL } from '../../tools/builtin/memory.js';
import { decideDelegation } from '../../governance/permissions/subagent-gate.js';
import type { ClientTool } from '../../storage/shapes/stored-options.js';
import { invalidRequest } from '../../errors/typed-error.js';
import { checkClientTurns, endsWithOutputs, orderParts } from './client-turns.js';
import type { NewTurn, TurnSubmission } from './turn-submission.js';

export interface Preparation {
  submission: TurnSubmission;
  session: SessionRow;
  /** Stored preferences of the sender. */
  user: StoredPreferences;
  requestHash: string;
  /** The turn whose place the turn takes; undefined: it follows the last one. */
  replaces: string | undefined;
  /** Logger of the request. */
  logger: Logger;
}

@Injectable()
export class TurnPreparer {
  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<Config, 'subagentsEnabled'>,
    private readonly projectRoots: ProjectRoots,
    private readonly personas: PersonaLibrary,
    private readonly options: OptionLoader,
    private readonly tools: ToolRegistry,
    private readonly trees: DecisionTrees,
    private readonly attachments: Attachments,
  ) {}

  /**
   * The turn to be stored for a request, checked in the contract's order: project root, options,
   * attachments.
   *
   * @throws TypedError of each check.
   */
  async prepare(preparation: Preparation): Promise<{ turn: NewTurn; persona: string }> {
    const { submission, session, requestHash, replaces, logger } = preparation;
    const { sessionId, message, opts, attachments, idempotencyKey, problems, principal } =
      submission;
    const { readerProcess } = submission;
    const { principalId } = session;
    const { real, ownPaths } =
      principal === undefined
        ? await this.projectRoots.openForOwner(session.projectRoot, {
            id: principalId,
            roleRoots: null,
          })
        : await this.projectRoots.open(session.projectRoot, principal);
    const { resolution, persona, delegation } = await this.resolve(preparation);
    const files = {
      projectRoot: real,
      roots: this.attachments.roots,
      closed: ownPaths.closed,
      hidden: ownPaths.hidden,
      principalId,
      limits: submission.asAgent === true ? agentLimits : harnessLimits,
      ...compact({ withinSession: principal && boundSession(principal) }),
    };
    const resolve = (named: readonly string[], sent: readonly ReceivedFile[]) =>
      resolveAttachments(this.attachments, { named, sent, ...files });
    const keeps = submission.keepsFiles === true && replaces !== undefined;
    const kept = keeps ? await this.attachments.stored.idsOf(replaces, principalId) : [];
    const resolved = await resolve([...attachments, ...kept], submission.files ?? []);
    const rejectedAttachments = resolved.errors.map(({ path: named, ...why }) => ({
      name: path.basename(named),
      ...why,
    }));
    for (const rejected of rejectedAttachments) {
      logger.debug({ sessionId, ...rejected }, 'an attachment was refused');
    }
    if (submission.needsAllFiles === true) checkAllTaken(resolved);
    const {
      clientTurns = [],
      clientTurnsOnlyIfEmpty = false,
      needsAllFiles = false,
      replay,
    } = submission;
    const checked = await checkClientTurns(clientTurns, resolve, needsAllFiles);
    const isBlank = message.trim() === '' && resolved.files.length + resolved.errors.length === 0;
    // The files of a replay were taken with the recorded turn.
    const { parts } =
      replay ??
      (isBlank && endsWithOutputs(clientTurns) ? { parts: [] } : composePrompt(message, resolved));
    const ordered = submission.content && orderParts(submission.content, resolved);
    const clientParts = checked.flatMap((one) => one.parts);
    const clientFiles = clientParts.flatMap((part) => (part.type === 'file' ? part.file : []));
    await this.#keepFiles(sessionId, [...clientFiles, ...resolved.files]);
    const now = new Date(this.clock.now());
    const requestId = principal?.requestId;
    const { clientMessageId, responses, instructions, clientHistory, unattended } = submission;
    const request = {
      message,
      opts,
      attachments,
      rejectedAttachments,
      ...compact({ requestId, clientMessageId, responses, instructions, unattended }),
      ...(replay && { replay: { turnId: replay.turnId, tools: replay.tools } }),
    };
    const budget = dayLimitsOf(principal?.limits);
    const options = { ...resolution, problems: [...(problems ?? []), ...resolution.problems] };
    // Workers look up the folders of keys. Those of roles are in a token alone, so that the turn has them.
    const hasRoles = principal !== undefined && isKnownElsewhere(principal.credential);
    const roots = hasRoles ? { projectRoots: [...principal.projectRoots] } : {};
    const asked = {
      sessionId,
      principalId,
      budget,
      request,
      requestHash,
      idempotencyKey,
      ...roots,
    };
    const before = { clientTurns: checked, clientTurnsOnlyIfEmpty, clientHistory };
    const given = { parts: [...(ordered ?? parts)], ...before, now, readerProcess, replaces };
    const preferredWorker =
      session.headTurnId === null ? undefined : (session.headWorker ?? undefined);
    const turn = { ...asked, ...given, options, delegation, preferredWorker };
    return { turn, persona: persona.name };
  }

  /** The options of a request, checked, and what the turn may delegate. @throws TypedError of each check. */
  async resolve(preparation: Pick<Preparation, 'submission' | 'session' | 'user' | 'logger'>) {
    const { clock, personas, config } = this;
    const { submission, session, logger } = preparation;
    const { resolution, persona } = await this.options.load(
      subjectOf(preparation),
      submission.opts,
    );
    const { agents } = submission.principal ?? {};
    if (agents?.includes(persona.name) === false) throw forbiddenAgent(persona.name, agents);
    await this.options.checkApprovers([persona.permissions, session.permissions]);
    const { decisionTree = 'default', agentConfig, subagentGovernance } = resolution.options;
    const { memory = false, clientTools = [] } = resolution.options;
    const ours = this.tools.list().filter(({ name }) => memory || name !== MEMORY_TOOL);
    checkClientTools(clientTools, ours);
    this.trees.assertUsable(decisionTree, agentConfig);
    const deps = { clock, personas, logger, config };
    const delegation = await decideDelegation(deps, persona, subagentGovernance);
    return { resolution, persona, delegation };
  }

  /** Keeps files for as long as their session, also where the turn is refused in the next moment. */
  async #keepFiles(sessionId: string, files: readonly AttachmentRef[]): Promise<void> {
    const hashes = files.map(({ sha256 }) => sha256);
    try {
      await this.attachments.store.keep(sessionId, hashes);
    } catch (error) {
      const isGone = violatedConstraint(error) === 'session_blobs_session_id_fkey';
      throw isGone ? sessionNotFound(sessionId) : error;
    }
  }
}

/** The sources of the turn's options beside `opts`. */
function subjectOf({
  submission,
  session,
  user,
}: Pick<Preparation, 'submission' | 'session' | 'user'>): OptionSubject {
  const { asAgent = false, isOracle = false, limits, principal } = submission;
  const { wireMode, wireOnDisconnect } = submission;
  return {
    ...session,
    user: validateAgentConfig(user).config,
    preferences: preferencesOf(user, { isOracle }),
    asAgent,
    mayApprove: principal?.scopes.includes('approvals') ?? true,
    ...compact({ wireMode, wireOnDisconnect, limits }),
  };
}

/** @throws TypedError INVALID_REQUEST for a name that the server has a tool of. */
export function checkClientTools(
  tools: readonly ClientTool[],
  ours: readonly { name: string }[],
): void {
  const taken = tools.filter(({ name }) => ours.some((tool) => tool.name === name));
  if (taken.length === 0) return;
  const names = taken.map(({ name }) => name).join(', ');
  throw invalidRequest(
    `opts.clientTools: this server has tools called ${names}. Give yours other names.`,
    { names: taken.map(({ name }) => name) },
  );
}
