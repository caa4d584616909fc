import type { FollowedTurn } from '../clients/followed-turn.js';

/** Statements that take a turn over a line; the names are those of test/e2e/crash/README.md. */
export const question = { table: 'approvals', on: 'insert', when: 'true' } as const;
export const note = {
  table: 'approvals',
  on: 'update',
  when: 'new.applied_attempt is not null',
} as const;
export const claim = { table: 'tool_calls', on: 'insert', when: "new.status = 'claimed'" } as const;
export const result = {
  table: 'tool_calls',
  on: 'insert',
  when: "new.status <> 'claimed'",
} as const;
export const takeOver = {
  table: 'turns',
  on: 'update',
  when: 'new.attempt > old.attempt',
  isLeftOut: true,
} as const;
export const secondAttempt = { ...takeOver, when: 'new.attempt > old.attempt and old.attempt > 0' };
export const ending = { table: 'turns', on: 'update', when: 'new.ended_at is not null' } as const;
export const release = {
  table: 'turns',
  on: 'update',
  when: "old.status = 'held' and new.status = 'queued'",
} as const;
export const secondStep = { table: 'steps', on: 'insert', when: 'new.step = 2' } as const;

export const repair = {
  table: 'notices',
  on: 'insert',
  when: "new.kind = 'output-repair'",
} as const;

export const delivery = {
  table: 'webhook_deliveries',
  on: 'update',
  when: 'new.attempt > old.attempt',
} as const;
export const deliveryMark = { ...delivery, when: "new.status = 'delivered'" };

/** A fire time with all that is stored of it; the turn among it. */
export const runSettled = {
  table: 'schedules',
  on: 'update',
  when: 'new.next_at > old.next_at',
} as const;

export const success = { exitCode: 0 };
export const interrupted = { exitCode: 130, interrupted: true };
/** A command that runs on; in the sandbox it ends with its server. */
export const hangs = 'sleep 120';

export const statusesOf = (turn: FollowedTurn) =>
  turn.named('tool:result').map(({ data }) => data['status']);
export const decisionsOf = (turn: FollowedTurn) =>
  turn.named('approval:resolve').map(({ data }) => data['decision']);
