import { seededRandom } from '../chaos/plan/random.mjs';
import type { Quorum } from '../src/storage/shapes/stored-options.js';
import type { PlannedTurn } from './plan.js';
import { effectTool } from './tools.js';

/** One schedule of this many has a client whose calls await several people. */
const AWAITING_EVERY = 5;

/** The first of them. */
const FIRST_AWAITING = 1;

/** Numbers of turns of this client, which no other turn has. */
const FIRST_INDEX = 200;

/** Roles that decide about calls of the effect tool. */
export const approverRoles = ['release', 'security'];

/** Somebody who answers approvals, or tries to. */
export interface Person {
  id: string;
  roles: readonly string[];
  /** Virtual time from the start of the load after which the person has no role any more, in ms. */
  withdrawnAfterMs: number;
}

export interface ApprovalsPlan {
  quorum: Quorum;
  people: Person[];
  /** Roles of the requester, who tries to decide about its own calls. */
  requesterRoles: readonly string[];
  turns: PlannedTurn[];
}

export function awaitsPeople(seed: number): boolean {
  return seed % AWAITING_EVERY === FIRST_AWAITING;
}

/** Plans whom the calls of a session await, who answers, and its turns, by the seed alone. */
export function planApprovals(seed: number): ApprovalsPlan {
  const random = seededRandom(seed, 'approvals');
  const turns = Array.from({ length: 2 }, (_, number): PlannedTurn => {
    const index = FIRST_INDEX + number;
    const input = `{"command":"echo t${index}-$i >> ran.txt"}`;
    return {
      afterMs: random.whole(0, 400),
      opts: { tools: [effectTool], onBusy: 'reject' },
      plan: {
        index,
        kind: 'loop',
        message: `[[loop=${random.whole(1, 2)} tool=${effectTool} ${input}]]`,
        onDisconnect: 'continue',
        cutsAfter: random.chance(0.3) ? [random.whole(1, 8)] : [],
        joinsAfter: undefined,
        interruptAfter: random.chance(0.15) ? random.whole(3, 8) : undefined,
        abandonAfter: undefined,
        repeatPost: 'never',
        pauseMs: 0,
        mayFail: false,
      },
    };
  });
  const forever = Number.POSITIVE_INFINITY;
  return {
    quorum: { by: approverRoles, count: random.whole(2, 3), notRequester: random.chance(0.7) },
    people: [
      { id: 'ana', roles: ['release'], withdrawnAfterMs: forever },
      { id: 'bo', roles: approverRoles, withdrawnAfterMs: forever },
      { id: 'cy', roles: ['security'], withdrawnAfterMs: random.whole(500, 20_000) },
      { id: 'dee', roles: [], withdrawnAfterMs: forever },
    ],
    requesterRoles: ['release'],
    turns,
  };
}
