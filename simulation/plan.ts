import { seededRandom, type Random } from '../chaos/plan/random.mjs';
import type { TurnPlan } from '../chaos/types.js';

export interface PlannedTurn {
  plan: TurnPlan;
  opts: Record<string, unknown>;
  /** Time from the turn before, in ms. */
  afterMs: number;
}

/** A session of a schedule, with the turns that clients send to it. */
export interface SessionPlan {
  turns: PlannedTurn[];
  /** Whether a turn is sent while the one before it runs. */
  isBusy: boolean;
  /** Rules for its tools: whether people are asked. */
  permissions: { allow: string[] };
}

const kinds: TurnPlan['kind'][] = [
  'text',
  'text',
  'tool',
  'tool',
  'loop',
  'loop',
  'mixed',
  'read',
  'failing',
];

/** Plans what the clients of a schedule do, by its seed alone. */
export function planSessions(seed: number): SessionPlan[] {
  const random = seededRandom(seed, 'sessions');
  let index = 0;
  return Array.from({ length: random.whole(2, 3) }, () => {
    const isBusy = random.chance(0.4);
    const turns = Array.from({ length: random.whole(1, 3) }, () => {
      index += 1;
      return planTurn(random, index, isBusy);
    });
    return {
      turns,
      isBusy,
      permissions: { allow: random.chance(0.7) ? ['mark', 'look'] : ['look'] },
    };
  });
}

function planTurn(random: Random, index: number, isBusy: boolean): PlannedTurn {
  const kind = random.pick(kinds);
  const onDisconnect = random.chance(0.3) ? 'cancel' : 'continue';
  const cuts = random.chance(0.45) ? random.whole(1, 3) : 0;
  const onBusy = isBusy ? random.pick(['enqueue', 'enqueue', 'steer', 'interrupt']) : 'reject';
  return {
    afterMs: random.whole(0, 400),
    opts: { tools: ['mark', 'look'], onBusy },
    plan: {
      index,
      kind,
      message: messageOf(kind, `t${index}`, random),
      onDisconnect,
      cutsAfter: Array.from({ length: cuts }, () => random.whole(1, 12)).sort((a, b) => a - b),
      joinsAfter: random.chance(0.15) ? random.whole(1, 8) : undefined,
      interruptAfter: random.chance(0.12) ? random.whole(1, 8) : undefined,
      abandonAfter:
        onDisconnect === 'cancel' && random.chance(0.15) ? random.whole(2, 6) : undefined,
      repeatPost: random.chance(0.25) ? random.pick(['at-once', 'later'] as const) : 'never',
      pauseMs: random.chance(0.1) ? random.whole(300, 2_500) : 0,
      mayFail: kind === 'failing',
    },
  };
}

function messageOf(kind: TurnPlan['kind'], name: string, random: Random): string {
  const text = (most: number): string =>
    `[[tokens=${random.whole(2, most)} gap=${random.whole(2, 60)} first=${random.whole(0, 150)}]]`;
  const call = (tool: string, mark: string): string =>
    `tool=${tool} {"command":"echo ${mark} >> ran.txt"}`;
  switch (kind) {
    case 'text':
      return random.chance(0.3) ? `[[think=${random.whole(2, 6)}]] ${text(12)}` : text(12);
    case 'tool':
      return `[[${call('mark', `${name}-1`)}]]`;
    case 'loop':
      return `[[loop=${random.whole(2, 3)} ${call('mark', `${name}-$i`)}]]`;
    case 'mixed':
      return `${text(6)} [[loop=2 ${call('mark', `${name}-$i`)}]]`;
    case 'read':
      return `${text(6)} [[loop=${random.whole(1, 2)} ${call('look', `${name}-$i`)}]]`;
    case 'failing':
      return `${text(8)} [[fail=${random.pick([400, 529])} after=${random.whole(1, 4)}]]`;
  }
}
