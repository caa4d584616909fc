import type { Todo } from '../../storage/shapes/todo.js';
import type { ResolvedOptions } from '../../storage/shapes/stored-options.js';
import type { RequestPrefix } from '../../storage/shapes/sent-request.js';
import type { Persona } from '../../agents/parse-agent-file.js';
import type { OpenedRoot } from '../../session/project-roots.js';
import { openPathDenials } from '../../tools/calls/path-denials.js';
import { openTools } from '../../tools/calls/open-tools.js';
import { buildSystem } from '../prompt/build-system.js';
import { prepareTools, type EquippedTools } from './tool-preparer.js';
import { canShorten, shortenHistory } from '../prompt/history-shortener.js';
import { delegate } from '../subagents/delegator.js';
import type { StoredTurn } from '../state/load-turn.js';
import { namesOfFiles, openHistory } from '../prompt/history-opener.js';
import { openWatch, todoBoard } from './watch-opener.js';
import { askerOf, openShower, showMessage } from '../prompt/file-showers.js';
import { openFrame } from '../prompt/open-frame.js';
import { choosePrefix } from '../prompt/request-prefix.js';
import { fullContext } from '../prompt/transcript-builder.js';
import type { Compaction } from '../queue/turn-claims.js';
import type { Attempt, TurnRun } from '../state/turn-run.js';
import type { TurnServices } from '../state/turn-services.js';

export interface Conversation {
  /** The session's other turns, oldest first. */
  earlier: readonly StoredTurn[];
  todos: readonly Todo[] | null;
  compaction: Compaction | null;
}

/** Where it runs, and for how long. */
export type SlotTerms = Pick<TurnRun, 'deadline' | 'withoutSlot'>;

/**
 * Gives an attempt what the loop needs: persona, system prompt, tools, the conversation with its
 * files. A conversation that fills too much of the model's window is compacted first.
 *
 * @throws TypedError when the project root or the persona is gone.
 */
export async function buildRunContext(
  services: TurnServices,
  attempt: Attempt,
  { slotTerms, ...conversation }: Conversation & { slotTerms: SlotTerms },
): Promise<TurnRun> {
  const { options } = attempt.turn.options;
  const { projectRoots } = services;
  const { session } = attempt;
  const root = await projectRoots.openForOwner(session.projectRoot, session.principalId);
  const persona = await services.personas.load(options.persona);
  const equipped = await prepareTools(services, attempt, { persona, root });
  try {
    return await equipWith(services, attempt, {
      ...conversation,
      slotTerms,
      persona,
      root,
      equipped,
    });
  } catch (error) {
    await equipped.close();
    throw error;
  }
}

interface Equipment extends Conversation {
  slotTerms: SlotTerms;
  persona: Persona;
  root: OpenedRoot;
  equipped: EquippedTools;
}

async function equipWith(
  services: TurnServices,
  attempt: Attempt,
  { slotTerms, persona, root, equipped, ...conversation }: Equipment,
): Promise<TurnRun> {
  const { options } = attempt.turn.options;
  const { settings, provider } = services;
  const { projectRoot, ownPaths, others } = root;
  const { tools, specs: toolSpecs, clientTools, permissions } = equipped;
  const shower = openShower(services, options, {
    sessionId: attempt.turn.sessionId,
    asker: askerOf(attempt, slotTerms),
  });
  // Before the history: what the user says now gets room for its files first.
  const userParts = await showMessage(attempt, shower);
  const chosen = choosePrefix(attempt.session.prefix, {
    systemIn: (mode) =>
      buildSystem({ prompt: persona.prompt, persona: options.persona, projectRoot, mode }),
    mode: options.mode,
    tools: toolSpecs,
    serverTools: equipped.serverTools,
  });
  const { prefix } = chosen;
  const describeModel = (
    turnOptions: ResolvedOptions,
    begin: RequestPrefix,
  ): ReturnType<TurnRun['describeModel']> => ({
    frame: { ...openFrame(services, turnOptions, begin), isToolless: !chosen.hasTools },
    price: services.models.describe(turnOptions.model).price,
    limits: { ...settings.limits, fullContext: fullContext(services, turnOptions.model) },
  });
  const described = describeModel(options, prefix);
  const { frame } = described;
  const history = await openHistory(services, attempt, { ...conversation, frame, shower });
  const { earlierTurns, summary, compaction } = history;
  const watch = await openWatch(services, attempt, {
    ...conversation,
    compaction,
    sessionChange: chosen.notice,
  });
  const run: TurnRun = {
    ...attempt,
    provider,
    ...described,
    describeModel: (turnOptions) => describeModel(turnOptions, run.prefix),
    prefix,
    isPrefixStored: !chosen.isChanged,
    recovered: new Set(),
    shorten: () => shortenHistory(services, run),
    files: namesOfFiles(conversation.earlier),
    logger: services.logger,
    redact: services.redact,
    earlierTurns,
    summary,
    userParts,
    tools: openTools(tools, {
      workdir: projectRoot,
      ownPaths,
      isDenied: await openPathDenials(permissions, projectRoot),
      ...(others === undefined ? {} : { others }),
      env: settings.shellEnv,
      ...(options.contextNodes === undefined ? {} : { mostResults: options.contextNodes }),
      todos: todoBoard(attempt, watch),
      delegate: (work) => delegate(services, run, work),
    }),
    closeTools: equipped.close,
    ...slotTerms,
    toolSpecs,
    clientTools,
    watch,
    triggers: services.triggers,
    db: services.db,
    approvalRules: settings.approvals,
    permissions,
  };
  run.progress.canShorten = canShorten(run);
  return run;
}
