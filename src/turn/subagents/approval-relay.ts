import type { TurnEvent } from '../../events/turn-event.js';
import { changeState } from '../../governance/decision-tree/agent-state.js';
import { addWaited } from '../approvals/approval-writes.js';
import type { TurnRun } from '../state/turn-run.js';
import type { ChildTurn } from '../state/child-turn.js';

/** While a subagent waits for a person, its parent's time stands still too. */
export class ApprovalRelay {
  readonly #open = new Set<string>();
  #isHolding = false;

  constructor(
    private readonly run: Pick<TurnRun, 'deadline' | 'progress' | 'writer'>,
    child: ChildTurn,
  ) {
    // Its question was told by an earlier attempt.
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
    if (!this.#isHolding) return;
    this.#isHolding = false;
    this.#open.clear();
    const { deadline, progress, writer } = this.run;
    const ms = deadline.release();
    if (ms === 0) return;
    const { state } = progress;
    progress.state = changeState(state, { startTime: Math.min(state.now, state.startTime + ms) });
    await writer.commit([], [addWaited(ms)]);
  }

  #ask(id: string): void {
    this.#open.add(id);
    if (this.#isHolding) return;
    this.#isHolding = true;
    this.run.deadline.hold();
  }
}
