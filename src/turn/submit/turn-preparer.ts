import { forbiddenAgent } from '../../access/access-errors.js';
import { dayLimitsOf, isKnownElsewhere, keyOf } from '../../access/principal.js';
import { Inject, Injectable } from '@nestjs/common';
import { PersonaLibrary } from '../../agents/persona-library.js';
import { Attachments } from '../../attachments/attachments.js';
import { CONFIG, type Config } from '../../config/config.js';
import { DecisionTrees } from '../../governance/decision-tree/decision-trees.js';
import { OptionLoader, type OptionSubject } from '../../options/option-loader.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';
import { ProjectRoots, type OpenedRoot } from '../../session/project-roots.js';
import { ToolRegistry } from '../../tools/registry.js';
import { preferencesOf, type StoredPreferences } from '../../options/preferences.js';
import { validateAgentConfig } from '../../governance/decision-tree/agent-config.js';
import { compact } from '../../platform/compact.js';
import type { SessionRow } from '../../session/session-store.js';
import { MEMORY_TOOL } from '../../tools/builtin/memory.js';
import { decideDelegation } from '../../governance/permissions/subagent-gate.js';
import type { ClientTool } from '../../storage/shapes/stored-options.js';
import { invalidRequest } from '../../errors/typed-error.js';
import { decideInProject } from './project-delegation.js';
import { takeMessage, type TakenMessage } from './take-message.js';
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

/** The part that options are resolved by. */
type Preparing = Pick<Preparation, 'submission' | 'session' | 'user' | 'logger'>;

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
    const { submission, replaces } = preparation;
    const root = await this.#openRoot(preparation);
    const { resolution, persona, delegation, model } = await this.resolve(preparation);
    const message = isPlainText(submission, replaces)
      ? plainMessage(submission.message)
      : await takeMessage(this.attachments, { ...preparation, root, model, resolution });
    const options = {
      ...resolution,
      problems: [...(submission.problems ?? []), ...resolution.problems],
    };
    const now = new Date(this.clock.now());
    const turn = newTurn(preparation, message, { options, delegation, now });
    return { turn, persona: persona.name };
  }

  /** The attempt opens root and persona again (`build-context.ts`): what is taken here may have changed by then. */
  #openRoot({ submission, session }: Preparing): Promise<OpenedRoot> {
    const { principal } = submission;
    if (principal !== undefined) return this.projectRoots.open(session.projectRoot, principal);
    const owner = { id: session.principalId, roleRoots: null };
    return this.projectRoots.openForOwner(session.projectRoot, owner);
  }

  /** The options of a request, checked, and what the turn may delegate. @throws TypedError of each check. */
  async resolve(preparation: Preparing) {
    const { clock, personas, config } = this;
    const { submission, session, logger } = preparation;
    const { resolution, persona, model } = await this.options.load(
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
    const delegation = await (session.projectFiles === null && session.agents === null
      ? decideDelegation(deps, persona, subagentGovernance)
      : decideInProject(
          { ...deps, projectRoots: this.projectRoots },
          { persona, governance: subagentGovernance },
          { session, root: await this.#openRoot(preparation) },
        ));
    return { resolution, persona, delegation, model };
  }
}

/** Whether a request is a text alone: without files, without a history of its client's, and no replay. */
function isPlainText(submission: TurnSubmission, replaces: string | undefined): boolean {
  const { message, attachments, files = [], clientTurns = [], content, replay } = submission;
  const keepsFiles = submission.keepsFiles === true && replaces !== undefined;
  const brings = attachments.length + files.length + clientTurns.length > 0;
  return message.trim() !== '' && !brings && !keepsFiles && (content ?? replay) === undefined;
}

function plainMessage(message: string): TakenMessage {
  return { parts: [{ type: 'text', text: message }], rejectedAttachments: [], clientTurns: [] };
}

/** The turn as it is stored. */
function newTurn(
  { submission, session, requestHash, replaces }: Preparation,
  { parts, rejectedAttachments, clientTurns }: TakenMessage,
  resolved: Pick<NewTurn, 'options' | 'delegation' | 'now'>,
): NewTurn {
  const { principal, message, opts, attachments, replay } = submission;
  const { clientMessageId, responses, instructions, unattended } = submission;
  const { clientTurnsOnlyIfEmpty = false, clientHistory, readerProcess } = submission;
  const requestId = principal?.requestId;
  // Workers look up the folders of keys. Those of roles are in a token alone, so that the turn has them.
  const hasRoles = principal !== undefined && isKnownElsewhere(principal.credential);
  const worker = session.headTurnId === null ? null : session.headWorker;
  return {
    sessionId: session.id,
    principalId: session.principalId,
    keyId: principal && keyOf(principal.credential),
    budget: principal && dayLimitsOf(principal.limits),
    request: {
      message,
      opts,
      attachments,
      rejectedAttachments,
      ...compact({ requestId, clientMessageId, responses, instructions, unattended }),
      ...(replay && { replay: { turnId: replay.turnId, tools: replay.tools } }),
    },
    requestHash,
    idempotencyKey: submission.idempotencyKey ?? submission.tryKey,
    ...(hasRoles ? { projectRoots: [...principal.projectRoots] } : {}),
    parts,
    clientTurns,
    clientTurnsOnlyIfEmpty,
    clientHistory,
    readerProcess,
    replaces,
    preferredWorker: worker ?? undefined,
    ...resolved,
  };
}

/** The sources of the turn's options beside `opts`. */
function subjectOf({
  submission,
  session,
  user,
}: Pick<Preparation, 'submission' | 'session' | 'user'>): OptionSubject {
  const { asAgent = false, isOracle = false, principal } = submission;
  const { wireMode, wireOnDisconnect } = submission;
  const hasPreferences = Object.keys(user).length > 0;
  return {
    ...session,
    user: validateAgentConfig(user).config,
    preferences: hasPreferences || isOracle ? preferencesOf(user, { isOracle }) : {},
    asAgent,
    isOracle,
    mayApprove: principal?.scopes.includes('approvals') ?? true,
    ...compact({ wireMode, wireOnDisconnect }),
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
