import { offerTools } from '../governance/offer-tools.js';
import type { Todo } from '../notices/todo.js';
import { checkProjectRoot } from '../session/check-project-root.js';
import { openTools } from '../tools/open-tools.js';
import { buildSystem } from './build-system.js';
import type { StoredTurn } from './load-turn.js';
import { fullContext, openHistory } from './open-history.js';
import { openWatch, todoBoard } from './open-watch.js';
import { openShower, showMessage } from './show-files.js';
import type { Compaction } from './turn-claims.js';
import type { Attempt, TurnRun } from './turn-run.js';
import type { TurnServices } from './turn-services.js';

export interface Conversation {
  /** The session's other turns, oldest first. */
  earlier: readonly StoredTurn[];
  todos: readonly Todo[] | null;
  compaction: Compaction | null;
}

/**
 * Gives an attempt what the loop needs: persona, system prompt, tools, the conversation with its
 * files. A conversation that fills too much of the model's window is compacted first.
 *
 * @throws TypedError when the project root or the persona is gone.
 */
export async function equipRun(
  services: TurnServices,
  attempt: Attempt,
  conversation: Conversation,
): Promise<TurnRun> {
  const { options, provenance } = attempt.turn.options;
  const { instructionRoot } = services.personas;
  const projectRoot = await checkProjectRoot(attempt.session.projectRoot, instructionRoot);
  const persona = await services.personas.load(options.persona);
  const named = provenance.tools === 'opts' ? options.tools : [];
  const selected = services.tools.select(options.tools).tools;
  const offered = offerTools(selected, { disallowed: persona.disallowedTools, namedByTurn: named });
  const { settings, provider } = services;
  const toolSpecs = offered.map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }));
  const shower = openShower(services, options);
  // Before the history: what the user says now gets room for its files first.
  const userParts = await showMessage(attempt, shower);
  const { earlierTurns, compaction } = await openHistory(services, attempt, {
    ...conversation,
    tools: toolSpecs,
    shower,
  });
  const watch = await openWatch(services, attempt, { ...conversation, compaction });
  return {
    ...attempt,
    provider,
    logger: services.logger,
    limits: { ...settings.limits, fullContext: fullContext(services, options.model) },
    system: buildSystem({
      prompt: persona.prompt,
      persona: options.persona,
      projectRoot,
      mode: options.mode,
    }),
    earlierTurns,
    userParts,
    tools: openTools(selected, {
      workdir: projectRoot,
      env: settings.shellEnv,
      todos: todoBoard(attempt, watch),
    }),
    toolSpecs,
    watch,
    permissions: {
      mode: options.mode,
      autoApprove: persona.autoApproveTools,
      disallowed: persona.disallowedTools,
      named,
    },
  };
}
