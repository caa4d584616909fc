import type { TurnEventBody } from '../../events/turn-event.js';
import { findNearNoProgress } from '../../governance/limits/no-progress.js';
import type { AgentState } from '../../governance/decision-tree/agent-state.js';
import { warnings } from '../../governance/limits/limit-warnings.js';
import {
  checkTriggers,
  type TriggerFacts,
  type NewNotice,
  type StoredNotice,
} from '../../governance/notices/trigger.js';
import { contextUsage, resourceUsage } from '../../governance/notices/triggers/usage.js';
import { estimateAdded } from '../budgets/estimate-call.js';
import { countAdded } from '../budgets/reserve-headroom.js';
import type { SentConversation, AttemptContext } from '../state/attempt-context.js';
import { formatMark, formatNotice } from './output-object.js';
import { isReplyOpen } from '../state/server-calls.js';
import { insertNotice } from '../state/stored-turn.js';
import { contextTokens } from '../../events/turn-event.js';
import type { Attempt } from '../state/attempt.js';

/**
 * Posts notices: to the readers now, and to the model, where it sees them, with its next call and every later one.
 * They are stored first, so that neither a crash nor another check posts them again.
 */
export async function postNotices(
  { progress, writer, turn, clock }: Attempt,
  notices: readonly NewNotice[],
): Promise<void> {
  const afterStep = progress.steps.at(-1)?.step ?? 0;
  const before = progress.notices.filter((notice) => notice.afterStep === afterStep).length;
  const stored = notices.map((notice, index): StoredNotice => ({
    ...notice,
    afterStep,
    position: before + index,
  }));
  const createdAt = new Date(clock.now());
  await writer.commit(
    stored.map(toEvent),
    stored.map((notice) => insertNotice({ ...notice, turnId: turn.id, createdAt })),
  );
  progress.notices = [...progress.notices, ...stored];
}

/**
 * Checks every trigger before a model call and posts the notices that are due.
 *
 * @param state of the iteration that begins.
 */
export async function postTriggered(
  run: AttemptContext,
  state: AgentState,
  step: number,
): Promise<void> {
  // A paused reply goes on where it stopped: nothing can stand between its parts.
  if (isReplyOpen(run.progress.steps)) return;
  const facts = await collectFacts(run, state, step);
  const due = checkTriggers(run.triggers.all, facts, (trigger, error) =>
    run.logger.error(
      { turnId: run.turn.id, trigger, error },
      'a notice trigger failed; the turn goes on without its notice',
    ),
  );
  if (due.length === 0) return;
  await postNotices(
    run,
    due.map(({ urgency: _urgency, ...notice }) => notice),
  );
}

/** Tells a model that has no format for its replies which object to end with, once a turn. */
export async function postFormat(run: AttemptContext): Promise<void> {
  const { output } = run.turn.options.options;
  if (output === undefined || run.model.frame.outputSchema !== undefined) return;
  if (run.progress.notices.some(({ mark }) => mark === formatMark)) return;
  if (isReplyOpen(run.progress.steps)) return;
  await postNotices(run, [formatNotice(output.schema)]);
}

async function collectFacts(
  run: AttemptContext,
  state: AgentState,
  step: number,
): Promise<TriggerFacts> {
  const { triggers, progress } = run;
  const context = contextOf(run);
  const resources = await run.services.resources.measure(run.session.projectRoot);
  const contextPercent = (context.tokens * 100) / context.window;
  triggers.readings = [...triggers.readings, { contextPercent, ...resources }];
  const { actions } = state;
  const near = actions.length === 0 ? undefined : findNearNoProgress(actions);
  return {
    at: step === 1 ? 'message' : 'step',
    step: step - 1,
    isFirstMessage: triggers.isFirstMessage,
    config: state.config,
    // Tokens that the call adds count: a warning with the call after it may come too late.
    warnings: warnings(countAdded(state, { added: estimateAdded(run) })),
    context,
    readings: triggers.readings,
    todos: triggers.todos,
    stepsSinceTodos: step - 1 - triggers.todosTouchedAt,
    ...(triggers.compaction === undefined ? {} : { compaction: triggers.compaction }),
    ...(triggers.sessionChange === undefined
      ? {}
      : { sessionChange: triggers.sessionChange, sessionState: triggers.sessionState }),
    ...(triggers.written === undefined ? {} : { written: triggers.written }),
    ...(near === undefined ? {} : { nearNoProgress: { action: near.actions.join(', ') } }),
    toolErrors: state.toolErrors,
    ...(state.lastError === undefined ? {} : { lastError: state.lastError }),
    ...(triggers.projectFacts === undefined ? {} : { projectFacts: triggers.projectFacts }),
    background: triggers.arrived,
    fired: new Set(
      [...progress.notices, ...earlierMarks(run.conversation)].map(({ mark }) => mark),
    ),
  };
}

/**
 * Tokens in the model's window: the provider's report of the last call, and an estimate of the
 * rest.
 */
function contextOf(run: AttemptContext): { tokens: number; window: number } {
  const { model, progress, triggers } = run;
  const window = model.frame.model.contextWindow;
  const last = progress.steps.at(-1);
  const before = last === undefined ? triggers.contextBefore : contextTokens(last.usage);
  return { tokens: before + estimateAdded(run), window };
}

/** Marks of usage notices outlast their turn: the model still has the notices. */
function earlierMarks({ earlierTurns }: SentConversation) {
  return earlierTurns
    .flatMap((turn) => turn.notices)
    .filter(({ kind }) => kind === contextUsage.id || kind === resourceUsage.id);
}

function toEvent({ kind, level, text, metadata, seenByModel }: StoredNotice): TurnEventBody {
  return { type: 'notice.posted', kind, level, text, metadata, seenByModel };
}
