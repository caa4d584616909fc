import type { TurnEvent } from '../../events/turn-event.js';
import { changeState } from '../../governance/decision-tree/agent-state.js';
import { addWaited } from '../approvals/approval-writes.js';
import type { Attempt } from '../state/attempt.js';
import type { Deadline } from '../state/lease.js';
import type { ChildTurn } from '../state/child-turn.js';

/** Stops the parent's deadline while a subagent is parked. */
export class ApprovalRelay {
  readonly #open = new Set<string>();
  #isStopped = false;

  constructor(
    private readonly parent: Pick<Attempt, 'progress' | 'writer'>,
    private readonly deadline: Deadline,
    child: ChildTurn,
  ) {
    // An earlier attempt relayed the question.
    if (child.waitingSince !== null && child.usage === undefined) this.#ask('earlier');
  }

  async see(event: TurnEvent): Promise<void> {
    if (event.type === 'approval.requested') this.#ask(event.approvalId);
    if (event.type !== 'approval.resolved') return;
    this.#open.delete('earlier');
    this.#open.delete(event.approvalId);
    if (this.#open.size === 0) await this.stop();
  }

  async stop(): Promise<void> {
    if (!this.#isStopped) return;
    this.#isStopped = false;
    this.#open.clear();
    const { progress, writer } = this.parent;
    const ms = this.deadline.resume();
    if (ms === 0) return;
    const { state } = progress;
    progress.state = changeState(state, { startTime: Math.min(state.now, state.startTime + ms) });
    await writer.commit([], [addWaited({ ms: Math.round(ms) })]);
  }

  #ask(id: string): void {
    this.#open.add(id);
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.deadline.pause();
  }
}
