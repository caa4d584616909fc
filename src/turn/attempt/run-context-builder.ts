import { Injectable } from '@nestjs/common';
import type { Persona } from '../../agents/parse-agent-file.js';
import { PersonaLibrary } from '../../agents/persona-library.js';
import { compact } from '../../platform/compact.js';
import { ProjectRoots, type OpenedRoot } from '../../session/project-roots.js';
import type { RequestPrefix } from '../../storage/shapes/sent-request.js';
import type { ResolvedOptions } from '../../storage/shapes/stored-options.js';
import type { Todo } from '../../storage/shapes/stored-step.js';
import { openPathDenials } from '../../tools/calls/call-paths.js';
import type { Delegated } from '../../tools/tool.js';
import { buildSystem, type SystemFacts } from '../prompt/build-system.js';
import { currentTurn } from '../prompt/build-request.js';
import { type ConversationFiles, shownOutputs } from '../prompt/conversation-files.js';
import { HistoryOpener, namesOfFiles } from '../prompt/history-opener.js';
import { canShorten } from '../prompt/history-shortener.js';
import { choosePrefix } from '../prompt/request-prefix.js';
import type { Compaction, Attempt } from '../state/attempt.js';
import { loadRecording } from '../replay/load-recording.js';
import type { Recording } from '../replay/recording.js';
import type { StoredTurn } from '../state/stored-turn.js';
import type { TurnRun } from '../state/turn-run.js';
import type { WorkerTerms } from '../state/worker-terms.js';
import { AttemptFiles } from './attempt-files.js';
import { CallDescriber } from './call-describer.js';
import { RunPorts } from './run-ports.js';
import { openShelf } from './skill-shelf.js';
import { ToolPreparer } from './tool-preparer.js';
import { openToolset, type EquippedTools } from './toolset.js';
import { todoBoard, WatchOpener } from './watch-opener.js';

export interface RunSource {
  /** The session's other turns, oldest first. */
  earlier: readonly StoredTurn[];
  todos: readonly Todo[] | null;
  compaction: Compaction | null;
  terms: WorkerTerms;
  /** Delegates a piece of work to a subagent. */
  delegate(run: TurnRun, work: Delegated): Promise<string>;
}

interface Equipment {
  persona: Persona;
  root: OpenedRoot;
  equipped: EquippedTools;
  /** The recording that answers a replay's calls. Absent: the turn is no replay. */
  recording?: Recording;
}

/** Builds what the loop needs of an attempt: persona, system prompt, tools, conversation with files. */
@Injectable()
export class RunContextBuilder {
  /** The system prompt that was built last for a persona. */
  readonly #systems = new WeakMap<Persona, string>();

  constructor(
    private readonly projectRoots: ProjectRoots,
    private readonly personas: PersonaLibrary,
    private readonly ports: RunPorts,
    private readonly calls: CallDescriber,
    private readonly preparer: ToolPreparer,
    private readonly files: AttemptFiles,
    private readonly history: HistoryOpener,
    private readonly watches: WatchOpener,
  ) {}

  /**
   * Builds the run of an attempt. A conversation that fills too much of the model's window is compacted
   * first.
   *
   * @throws TypedError when the project root or the persona is gone.
   */
  async build(attempt: Attempt, source: RunSource): Promise<TurnRun> {
    const { session, turn } = attempt;
    const [root, persona, recording] = await Promise.all([
      this.projectRoots.openForOwner(session.projectRoot, session.principalId),
      this.personas.load(turn.options.options.persona),
      loadRecording(this.ports.db, turn),
    ]);
    const equipped = await this.preparer.prepare(attempt, { persona, root });
    try {
      const equipment = { persona, root, equipped, ...compact({ recording }) };
      return await this.#equip(attempt, source, equipment);
    } catch (error) {
      await equipped.close();
      throw error;
    }
  }

  async #equip(
    attempt: Attempt,
    { earlier, todos, compaction: stored, terms, delegate }: RunSource,
    { persona, root, equipped, recording }: Equipment,
  ): Promise<TurnRun> {
    const { options } = attempt.turn.options;
    const { policy, shortener, surroundings } = this.ports;
    const { projectRoot, ownPaths, others } = root;
    const { specs: tools, serverTools, permissions, skills } = equipped;
    const files = this.files.openConversation(attempt, terms.withoutSlot);
    const chosen = choosePrefix(attempt.session.prefix, {
      systemIn: (mode, listed, told) =>
        this.#shared(persona, {
          prompt: persona.prompt,
          persona: options.persona,
          projectRoot,
          mode,
          skills: listed,
          servers: told,
          ...compact({ instructions: attempt.turn.request.instructions }),
        }),
      mode: options.mode,
      skills: skills.told,
      servers: equipped.servers,
      tools,
      serverTools,
    });
    const { prefix } = chosen;
    const describeModel = (turnOptions: ResolvedOptions, begin: RequestPrefix) =>
      this.calls.describe(turnOptions, {
        prefix: begin,
        hasTools: chosen.hasTools,
        responses: attempt.turn.request.responses,
      });
    const described = describeModel(options, prefix);
    const { frame } = described;
    const history = await this.history.open(attempt, {
      earlier,
      todos,
      compaction: stored,
      frame,
      files,
    });
    const { earlierTurns, summary, compaction, refusedTurns, own } = history;
    const watch = await this.watches.open(attempt, {
      earlier,
      todos,
      compaction,
      sessionChange: chosen.notice,
      sessionState: prefix.told,
    });
    const run: TurnRun = {
      ...attempt,
      rules: {
        permissions,
        skills: skills.told,
        approvals: policy.approvals,
        hookAnswers: new Map(),
      },
      model: { ...described, describe: (other) => describeModel(other, run.conversation.prefix) },
      conversation: {
        earlierTurns,
        summary,
        prefix,
        isPrefixStored: !chosen.isChanged,
        userParts: own.userParts,
        outputFiles: shownOutputs(own),
        showFiles: () => showFiles(run, files),
        files: namesOfFiles(earlier),
        canShorten: canShorten(history, attempt.progress),
        recovered: new Set(),
        refusedTurns,
        shorten: () => shortener.shorten(run),
      },
      toolset: openToolset(equipped, () => ({
        workdir: projectRoot,
        ownPaths,
        isDenied: openPathDenials(permissions, root.spellings),
        ...compact({ others, quota: root.quota, mostResults: options.contextNodes }),
        env: surroundings.shellEnv,
        todos: todoBoard(attempt, watch),
        ...(skills.told.length === 0 ? {} : { skills: openShelf(skills) }),
        ...compact({ memory: surroundings.openMemory(attempt) }),
        delegate: (work) => delegate(run, work),
      })),
      watch,
      ...compact({ output: this.calls.planOutput(options), recording }),
      terms,
      ports: this.ports,
    };
    return run;
  }

  /** Turns that run have one copy of their prompt: most turns of an agent have the same. */
  #shared(persona: Persona, facts: SystemFacts): string {
    const system = buildSystem(facts);
    const last = this.#systems.get(persona);
    if (last === system) return last;
    this.#systems.set(persona, system);
    return system;
  }
}

/** Shows the files of a run's conversation as it is now. */
async function showFiles(run: TurnRun, files: ConversationFiles): Promise<void> {
  const { conversation } = run;
  const turns = await files.show([...conversation.earlierTurns, currentTurn(run)]);
  const own = turns.at(-1);
  if (own === undefined) return;
  conversation.earlierTurns = turns.slice(0, -1);
  conversation.userParts = own.userParts;
  conversation.outputFiles = shownOutputs(own);
}
