import { planBranch } from '../chaos/plan/plan-branch.mjs';
import { planMemory } from '../chaos/plan/plan-memory.mjs';
import { seededRandom } from '../chaos/plan/random.mjs';
import { nameOf, withName } from '../chaos/plan/turn-names.mjs';
import type { BranchPlan } from '../chaos/types.js';
import type { PlannedTurn } from './plan.js';

/** One schedule of this many has clients that fork and replace, write to a memory, and have turns at times. */
const BRANCHING_EVERY = 5;

/** The first of them. */
const FIRST_BRANCHING = 2;

/** Numbers of turns of these clients, which no other turn has. */
const FIRST_INDEX = 100;

/** Clients, with a session each. */
export const BRANCHING_CLIENTS = 2;

export function isBranching(seed: number): boolean {
  return seed % BRANCHING_EVERY === FIRST_BRANCHING;
}

/** Plans what becomes of a client's session, by the seed alone. */
export function planBranches(seed: number, client: number): BranchPlan {
  const plan = planBranch(seed, client);
  // Every such schedule has one of each: the rest is chance.
  return { ...plan, kind: client === 0 ? 'replace' : 'fork' };
}

/** Plans a turn of these clients by its number, from 0. */
export function planBranchTurn(seed: number, number: number, client: number): PlannedTurn {
  const index = FIRST_INDEX + number;
  const random = seededRandom(seed, `branch turn ${index}`);
  const name = nameOf(index);
  const isMemory = random.chance(0.6);
  const { message, opts } = isMemory
    ? planMemory({ name, client }, random)
    : {
        message: `[[loop=${random.whole(1, 2)} tool=mark {"command":"echo ${name}-$i >> ran.txt"}]]`,
        opts: {},
      };
  return {
    afterMs: random.whole(0, 400),
    opts: { tools: ['mark'], onBusy: 'reject', ...opts },
    plan: {
      index,
      kind: isMemory ? 'memory' : 'tool',
      message: withName(name, message),
      onDisconnect: 'continue',
      cutsAfter: random.chance(0.3) ? [random.whole(1, 8)] : [],
      joinsAfter: undefined,
      interruptAfter: undefined,
      abandonAfter: undefined,
      repeatPost: random.chance(0.3) ? random.pick(['at-once', 'later'] as const) : 'never',
      pauseMs: 0,
      mayFail: false,
    },
  };
}
