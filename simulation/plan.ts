import { seededRandom, type Random } from '../chaos/plan/random.mjs';
import type { ResolvedLimits } from '../src/access/principal.js';
import type { TurnPlan } from '../chaos/types.js';
import { isBranching } from './plan-branches.js';

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
  persona: 'LEAD' | 'WORKING_ITEMS';
}

/** A tool that the client runs. */
const clientTool = {
  name: 'pick',
  description: 'Lets the user pick.',
  inputSchema: { type: 'object', properties: { command: { type: 'string' } } },
};

const subagentGovernance = { contextSealed: true, pipelineRunApproved: true, approvalRef: 'CHG-1' };

/** Limits of the principal's day; 0: no limit. */
export function planLimits(seed: number): ResolvedLimits {
  const random = seededRandom(seed, 'limits');
  // A fire time of a schedule that the budget refuses would be no fault.
  const tokensPerDay = !isBranching(seed) && random.chance(0.25) ? random.whole(2_000, 9_000) : 0;
  return { requestsPerMinute: 0, concurrentTurns: 0, tokensPerDay, usdPerDay: 0 };
}

/** Kinds of messages, beside those of the chaos kit that have options of their own. */
type Kind = Exclude<TurnPlan['kind'], 'object' | 'memory'>;

const kinds: Kind[] = ['text', 'text', 'tool', 'tool', 'loop', 'loop', 'mixed', 'read', 'failing'];

/** Plans what the clients of a schedule do, by its seed alone. */
export function planSessions(seed: number): SessionPlan[] {
  const random = seededRandom(seed, 'sessions');
  let index = 0;
  return Array.from({ length: random.whole(2, 3) }, () => {
    const isBusy = random.chance(0.4);
    const persona = random.chance(0.25) ? 'LEAD' : 'WORKING_ITEMS';
    const turns = Array.from({ length: random.whole(1, 3) }, () => {
      index += 1;
      return planTurn(random, index, { isBusy, persona });
    });
    return {
      turns,
      isBusy,
      persona,
      permissions: { allow: random.chance(0.7) ? ['mark', 'look'] : ['look'] },
    };
  });
}

function planTurn(
  random: Random,
  index: number,
  { isBusy, persona }: Pick<SessionPlan, 'isBusy' | 'persona'>,
): PlannedTurn {
  const kind = random.pick(kinds);
  const message = messageOf(kind, `t${index}`, random);
  const task = JSON.stringify({ agent: 'TASKER', prompt: message });
  const delegates = persona === 'LEAD' && random.chance(0.7);
  const onDisconnect = random.chance(0.3) ? 'cancel' : 'continue';
  const cuts = random.chance(0.45) ? random.whole(1, 3) : 0;
  const onBusy = isBusy ? random.pick(['enqueue', 'enqueue', 'steer', 'interrupt']) : 'reject';
  const tools = persona === 'LEAD' ? { subagentGovernance } : { tools: ['mark', 'look'] };
  return {
    afterMs: random.whole(0, 400),
    opts: { onBusy, clientTools: [clientTool], ...tools },
    plan: {
      index,
      kind,
      message: delegates ? `[[tool=task ${task}]]` : message,
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

function messageOf(kind: Kind, name: string, random: Random): string {
  const text = (most: number): string =>
    `[[tokens=${random.whole(2, most)} gap=${random.whole(2, 60)} first=${random.whole(0, 150)}]]`;
  const call = (tool: string, mark: string): string =>
    `tool=${tool} {"command":"echo ${mark} >> ran.txt"}`;
  switch (kind) {
    case 'text':
      return random.chance(0.3) ? `[[think=${random.whole(2, 6)}]] ${text(12)}` : text(12);
    case 'tool':
      return random.chance(0.2) ? `[[${call('pick', name)}]]` : `[[${call('mark', `${name}-1`)}]]`;
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
