import type { TurnHistory } from '../chaos/types.js';
import { localPrincipal, type Principal } from '../src/access/principal.js';
import { SessionController } from '../src/session/session.controller.js';
import { ApprovalController } from '../src/turn/approvals/approval.controller.js';
import { AwaitedApprovalController } from '../src/turn/approvals/awaited-approval.controller.js';
import type { ApprovalsPlan, Person } from './plan-approvals.js';
import { Refusal, Requests, type Deployment } from './requests.js';
import { runTurn } from './run-turn.js';
import { effectTool } from './tools.js';

/** An answer that somebody sent. */
export interface SentAnswer {
  approvalId: string;
  principalId: string;
  decision: 'approve' | 'deny';
  /** Roles that the person had then. */
  roles: readonly string[];
}

/** The answers that the people of a schedule sent, and what they were told. */
export interface ApprovalRecord {
  plan: ApprovalsPlan;
  histories: TurnHistory[];
  sent: SentAnswer[];
  /** Answers that were accepted, each with the decision that the person was shown. */
  accepted: (SentAnswer & { shown: string | undefined })[];
}

export function emptyApprovals(plan: ApprovalsPlan): ApprovalRecord {
  return { plan, histories: [], sent: [], accepted: [] };
}

/** Time before the deadline at which the answer of somebody who is late may be sent, in ms. */
const AROUND_DEADLINE_MS = 300;

/** Has a client run turns whose calls await people, who answer, deny, answer twice, come late, or may not. */
export async function runApprovals(deployment: Deployment, record: ApprovalRecord): Promise<void> {
  const people = new People(deployment, record);
  const { plan } = record;
  const { projectRoot } = deployment.world.folders;
  const client = new Requests('asker', deployment, 0);
  const sessionId = await client.insist('create session', async (api) => {
    const ask = [{ rule: effectTool, ...plan.quorum }];
    const body = { projectRoot, permissions: { allow: ['look'], ask } };
    return (await api.handler(SessionController).createSession(body, body, deployment.principal))
      .session.sessionId;
  });
  const answering = plan.people.map((person) => people.decide(person));
  for (const turn of plan.turns) {
    await client.pause(turn.afterMs);
    const requests = new Requests(`asker.${turn.plan.index}`, deployment, turn.plan.index);
    const onQuestion = (_: Requests, { approvalId }: Record<string, unknown>): void =>
      people.note(String(approvalId));
    const history = await runTurn(requests, turn, { sessionId, onQuestion });
    if (history !== undefined) record.histories.push(history);
  }
  people.isOver = true;
  await Promise.all([...answering, people.tried]);
}

/** Those who answer. */
class People {
  isOver = false;
  /** Approvals that readers of the turns saw, as whoever passes their ids on would. */
  readonly #seen = new Set<string>();
  #tries: Promise<void>[] = [];
  readonly #startedAt: number;

  constructor(
    private readonly deployment: Deployment,
    private readonly record: ApprovalRecord,
  ) {
    this.#startedAt = deployment.world.scheduler.now;
  }

  /** The answers of the requester to its own calls; resolves when all have been sent. */
  get tried(): Promise<unknown> {
    return Promise.all(this.#tries);
  }

  /** Notes a question; the requester tries to answer it itself. */
  note(approvalId: string): void {
    if (this.#seen.has(approvalId)) return;
    this.#seen.add(approvalId);
    const { deployment, record } = this;
    const caller = { ...deployment.principal, approves: record.plan.requesterRoles };
    const requests = new Requests('requester', deployment, 1);
    this.#tries.push(this.#answer(requests, caller, { approvalId, isOwn: true }));
  }

  /** Looks for calls that await somebody, and decides about each in its own way. */
  async decide({ id, roles, withdrawnAfterMs }: Person): Promise<void> {
    const { deployment } = this;
    const { random, world } = deployment;
    const requests = new Requests(id, deployment, roles.length);
    const decided = new Set<string>();
    const answering: Promise<void>[] = [];
    while (!this.isOver) {
      await requests.pause(random.whole(200, 1_500));
      const isWithdrawn = world.scheduler.now - this.#startedAt > withdrawnAfterMs;
      const caller = personAs(id, isWithdrawn ? [] : roles);
      const listed = await requests.insist('list awaited approvals', (api) =>
        api.handler(AwaitedApprovalController).listAwaitedApprovals(caller, { limit: 50 }),
      );
      const untilMs = new Map(
        listed.approvals.map((one) => [one.approvalId, Date.parse(one.expiresAt)] as const),
      );
      // Somebody without a role finds nothing listed, and tries what others have seen.
      for (const approvalId of new Set([...untilMs.keys(), ...this.#seen])) {
        if (decided.has(approvalId)) continue;
        decided.add(approvalId);
        const isLate = random.chance(0.15);
        const lateAt = (untilMs.get(approvalId) ?? 0) - world.scheduler.now;
        const afterMs = isLate ? lateAt + random.whole(-AROUND_DEADLINE_MS, 0) : 0;
        const beside = requests.beside('answer');
        answering.push(
          this.#answer(beside, caller, { approvalId, isOwn: false, afterMs: Math.max(0, afterMs) }),
        );
      }
    }
    await Promise.all(answering);
  }

  /** One person's answers to one approval: none, one, the same twice, or a denial after all. */
  async #answer(
    requests: Requests,
    caller: Principal,
    of: { approvalId: string; isOwn: boolean; afterMs?: number },
  ): Promise<void> {
    const { random } = this.deployment;
    const first = random.pick([
      'approve',
      'approve',
      'approve',
      'approve',
      'deny',
      'none',
    ] as const);
    const next = random.pick(['none', 'none', 'same', 'same', 'deny'] as const);
    await requests.pause((of.afterMs ?? 0) + random.whole(0, 800));
    if (first === 'none') return;
    const both = [this.#send(requests, caller, { ...of, decision: first })];
    if (next !== 'none') {
      const decision = next === 'same' ? first : next;
      const other = requests.beside('again');
      both.push(
        other
          .pause(random.whole(0, 600))
          .then(() => this.#send(other, caller, { ...of, decision })),
      );
    }
    await Promise.all(both);
  }

  async #send(
    requests: Requests,
    caller: Principal,
    {
      approvalId,
      decision,
      isOwn,
    }: Pick<SentAnswer, 'approvalId' | 'decision'> & { isOwn: boolean },
  ): Promise<void> {
    const { sent, accepted } = this.record;
    const answer = { approvalId, principalId: caller.id, decision, roles: caller.approves };
    sent.push(answer);
    const id = { id: approvalId };
    try {
      const shown = await requests.insist(`${decision} ${approvalId}`, async (api) => {
        const { approval } = isOwn
          ? await api.handler(ApprovalController).answerApproval(id, caller, { decision }, {})
          : await api
              .handler(AwaitedApprovalController)
              .answerAwaitedApproval(id, caller, { decision }, {});
        return approval.decision;
      });
      accepted.push({ ...answer, shown });
    } catch (error) {
      // The person may not decide, or the decision was made.
      const isRefused = error instanceof Refusal && (error.status === 403 || error.status === 409);
      if (!isRefused) throw error;
    }
  }
}

function personAs(id: string, roles: readonly string[]): Principal {
  const limits = { requestsPerMinute: 0, concurrentTurns: 0, tokensPerDay: 0, usdPerDay: 0 };
  const credential = { kind: 'key', id: `key-${id}` } as const;
  return { ...localPrincipal(limits), id, credential, approves: roles };
}
