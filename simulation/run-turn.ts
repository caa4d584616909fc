import type { Frame, TurnHistory, TurnPlan } from '../chaos/types.js';
import { SessionController } from '../src/session/session.controller.js';
import { ApprovalController } from '../src/turn/approvals/approval.controller.js';
import { TurnController } from '../src/wires/harness/turn.controller.js';
import type { PlannedTurn, SessionPlan } from './plan.js';
import { readTurn, type Reading } from './read-turn.js';
import type { Decision } from '../src/turn/approvals/approval-writes.js';
import { Refusal, Requests, type Deployment } from './requests.js';

/** Runs the turns of a session, one after the other or beside each other. */
export async function runSession(
  plan: SessionPlan,
  index: number,
  deployment: Deployment,
): Promise<TurnHistory[]> {
  const { projectRoot } = deployment.world.folders;
  const creator = new Requests(`client${index}`, deployment, index);
  const { permissions, persona } = plan;
  const sessionId = await creator.insist('create session', async (api) => {
    const body = { projectRoot, permissions, persona };
    return (await api.handler(SessionController).createSession(body, body, deployment.principal))
      .session.sessionId;
  });
  const running: Promise<TurnHistory | undefined>[] = [];
  for (const turn of plan.turns) {
    await creator.pause(turn.afterMs);
    const requests = new Requests(`client${index}.${turn.plan.index}`, deployment, turn.plan.index);
    const history = runTurn(requests, turn, { sessionId });
    running.push(history);
    if (!plan.isBusy) await history;
  }
  const histories = (await Promise.all(running)).filter((history) => history !== undefined);
  if (!plan.isBusy) return histories;
  return histories.map((history) => ({ ...history, plan: loosen(history.plan, plan) }));
}

/** The plan of a turn that others of its session may steer into or interrupt. */
function loosen(own: TurnPlan, { turns }: SessionPlan): TurnPlan {
  const isInterrupted = turns.some(
    ({ opts, plan }) => opts['onBusy'] === 'interrupt' || plan.interruptAfter !== undefined,
  );
  const mayFail = turns.some(({ plan }) => plan.mayFail);
  return { ...own, mayFail, interruptAfter: isInterrupted ? 0 : undefined };
}

/**
 * Runs a turn as its client planned it.
 *
 * @param place `mayLose`: another turn may be faster. `onQuestion`: what its readers do about an approval.
 * @returns undefined for a turn that was refused.
 */
export async function runTurn(
  requests: Requests,
  { plan, opts }: Pick<PlannedTurn, 'plan' | 'opts'>,
  place: { sessionId: string; mayLose?: boolean; onQuestion?: typeof answerSoon },
): Promise<TurnHistory | undefined> {
  const { sessionId, mayLose = false, onQuestion = answerSoon } = place;
  const { message, onDisconnect } = plan;
  const body = { sessionId, message, opts: { ...opts, onDisconnect } };
  const post = { key: `key-${plan.index}`, body };
  const others: Promise<Reading>[] = [];
  let interrupted: Promise<number | undefined> | undefined;
  const answer = ({ event, data }: Frame): void => {
    if (event.endsWith('approval:request')) onQuestion(requests, data);
  };
  const join = (name: string, of: { turnId: string } | { post: typeof post }): void =>
    void others.push(readTurn(requests.beside(name), { name, ...of, onFrame: answer }));
  if (plan.repeatPost === 'at-once') join('at once', { post });
  const main = await readTurn(requests, {
    name: 'first',
    post,
    cutsAfter: plan.cutsAfter,
    leaveAfter: plan.abandonAfter,
    ...(plan.pauseMs > 0 ? { slowMs: plan.pauseMs / 10 } : {}),
    onFrame: (frame, count, turnId) => {
      answer(frame);
      if (count === plan.joinsAfter) join('late', { turnId });
      if (count === 3 && plan.repeatPost === 'later') join('again', { post });
      if (count === plan.interruptAfter) interrupted = interrupt(requests, sessionId, turnId);
    },
  });
  const all = [main, ...(await Promise.all(others))];
  const readings = all.filter(({ turnId }) => turnId !== undefined);
  for (const { refusal, history } of all) {
    if (refusal === undefined || readings.length === 0) continue;
    const note = `${history.name}: ${refusal.message}`;
    requests.deployment.violations.push({ kind: 'repeat-refused', turnId: '', note });
  }
  const interruptedAt = await interrupted;
  const turnId = readings[0]?.turnId;
  if (turnId === undefined) {
    const { type, message: note } = main.refusal ?? { type: '', message: 'no answer' };
    const kind = type === 'TURN_IN_PROGRESS' ? 'busy-after-end' : 'bad-answer';
    const hasLost = mayLose && (type === 'TURN_IN_PROGRESS' || type === 'TURN_SUPERSEDED');
    if (type !== 'BUDGET_EXHAUSTED' && !hasLost)
      requests.deployment.violations.push({ kind, turnId: '', note });
    return undefined;
  }
  if (main.history.hasLeft) await waitForEnd(requests, turnId);
  return {
    plan,
    turnId,
    sessionId,
    postedAs: readings.flatMap((reading) => reading.turnId ?? []),
    readers: readings.map(({ history }) => history),
    fresh: undefined,
    interruptedAt,
  };
}

/** Every reader of a question answers it after a while: the first answer counts. */
function answerSoon(requests: Requests, { approvalId: id, kind }: Frame['data']): void {
  const { random, principal } = requests.deployment;
  const approvalId = String(id);
  const yes = kind === 'client-tool' ? 'answer' : 'approve';
  const decision = random.pick<Decision>([yes, yes, 'deny']);
  const output = decision === 'answer' ? { output: 'red' } : {};
  const waitMs = random.whole(0, 1_500);
  const answerer = requests.beside('answer');
  const answer = async (): Promise<void> => {
    await answerer.pause(waitMs);
    try {
      await answerer.insist(`${decision} ${approvalId}`, (api) =>
        api
          .handler(ApprovalController)
          .answerApproval({ id: approvalId }, principal, { decision, ...output }, output),
      );
    } catch (error) {
      // Somebody else was faster, or the turn has ended.
      if (!(error instanceof Refusal && error.status === 409)) throw error;
    }
  };
  void answer();
}

/** @returns when the API acknowledged it; undefined where it came too late. */
async function interrupt(
  requests: Requests,
  sessionId: string,
  turnId: string,
): Promise<number | undefined> {
  const stopper = requests.beside('stop');
  try {
    const answer = await stopper.insist('interrupt', (api) =>
      api.handler(TurnController).interruptSession({ sessionId }, stopper.deployment.principal),
    );
    return answer.turnId === turnId ? stopper.deployment.world.scheduler.now : undefined;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

async function waitForEnd(requests: Requests, turnId: string): Promise<void> {
  for (;;) {
    const { turn } = await requests.insist('GET turn', (api) =>
      api.handler(TurnController).getTurn({ id: turnId }),
    );
    if (turn.endedAt !== null) return;
    await requests.pause(500);
  }
}

/** Reads each turn once more after its end, from the first frame to the last. */
export async function readAgain(histories: TurnHistory[], deployment: Deployment): Promise<void> {
  for (const history of histories) {
    const { turnId, plan } = history;
    const requests = new Requests(`again${plan.index}`, deployment, plan.index);
    history.fresh = (await readTurn(requests, { name: 'the log', turnId })).history;
  }
}
