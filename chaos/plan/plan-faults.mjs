import { seededRandom } from './random.mjs';

/** @typedef {import('../types.js').Fault} Fault */
/** @typedef {import('../types.js').FaultKind} FaultKind */

/** @type {readonly FaultKind[]} */
export const faultKinds = [
  'kill-worker',
  'kill-api',
  'drain-worker',
  'drain-api',
  'freeze-worker',
  'kill-redis',
  'flush-redis',
  'fill-redis',
  'restart-postgres',
  'lock-postgres',
  'fill-postgres',
  'drop-connections',
  'duplicate-jobs',
];

/** Milliseconds before the first fault, in which turns start. */
const LEAD_MS = 1_500;

/** The most milliseconds between the starts of two faults, also in a long run. */
const MAX_GAP_MS = 4_000;

/** Minutes from which on a run has outages of Redis and PostgreSQL of up to half a minute. */
const MINUTES_FOR_LONG_ABSENCE = 3;

/**
 * @typedef {object} FaultPlanOptions
 * @property {number} seed
 * @property {number} minutes the load's length
 * @property {number} workers
 * @property {number} apis
 * @property {number} leaseMs
 * @property {readonly FaultKind[]} [leftOut] kinds that the run cannot do. Absent: it can do all
 */

/**
 * Plans the faults of a run, in order, mended before its end. Every kind comes once before any comes
 * twice. At least one API and one worker are always up.
 *
 * @param {FaultPlanOptions} options
 * @returns {Fault[]}
 */
export function planFaults(options) {
  const { seed, minutes, leftOut = [] } = options;
  const kinds = faultKinds.filter((kind) => !leftOut.includes(kind));
  const random = seededRandom(seed, 'faults');
  const endMs = minutes * 60_000;
  const gapMs = Math.min(MAX_GAP_MS, (endMs - LEAD_MS) / (kinds.length + 1));
  /** @type {Fault[]} */
  const faults = [];
  /** @type {FaultKind[]} */
  let bag = [];
  for (let atMs = LEAD_MS; atMs < endMs; atMs += Math.round(gapMs * (0.5 + random.next()))) {
    if (bag.length === 0) bag = random.shuffle(kinds);
    const kind = bag.pop();
    if (kind === undefined) break;
    const lastsMs = Math.round(lengthOf(kind, random, options));
    const target = freeTarget({ kind, atMs, faults, random, options });
    if (target === undefined || atMs + lastsMs > endMs) continue;
    faults.push({ atMs, kind, target, lastsMs });
  }
  return faults;
}

/**
 * @param {FaultKind} kind
 * @param {import('./random.mjs').Random} random
 * @param {FaultPlanOptions} options
 */
function lengthOf(kind, random, { minutes, leaseMs }) {
  const isLong = minutes >= MINUTES_FOR_LONG_ABSENCE && random.chance(0.15);
  switch (kind) {
    case 'flush-redis':
    case 'drop-connections':
    case 'duplicate-jobs':
      return 0;
    case 'freeze-worker':
      // Longer than the lease, so that a different worker has the turns when it wakes.
      return leaseMs * (1.3 + random.next());
    case 'kill-redis':
    case 'restart-postgres':
      return isLong ? random.whole(10_000, 30_000) : random.whole(50, 2_500);
    case 'fill-redis':
    case 'lock-postgres':
    case 'fill-postgres':
      return random.whole(500, 5_000);
    case 'kill-worker':
    case 'kill-api':
    case 'drain-worker':
    case 'drain-api':
      return random.whole(50, 2_000);
    default:
      throw new Error(`Unknown kind of fault: ${String(kind)}`);
  }
}

/** Milliseconds for which a mended process is spared, to start and take its share of the load. */
const SPARED_MS = 2_000;

/**
 * @param {{ kind: FaultKind, atMs: number, faults: Fault[], random: import('./random.mjs').Random, options: FaultPlanOptions }} given
 * @returns {number | undefined} undefined if every target is down already, or is the last one up
 */
function freeTarget({ kind, atMs, faults, random, options }) {
  const role = roleOf(kind);
  const count = role === 'worker' ? options.workers : role === 'api' ? options.apis : 1;
  const hit = new Set(
    faults
      .filter((fault) => roleOf(fault.kind) === role)
      .filter((fault) => fault.atMs + fault.lastsMs + (fault.lastsMs > 0 ? SPARED_MS : 0) > atMs)
      .map((fault) => fault.target),
  );
  const free = Array.from({ length: count }, (_, index) => index).filter((i) => !hit.has(i));
  const leaves = count > 1 ? 1 : 0;
  return free.length > leaves ? random.pick(free) : undefined;
}

/**
 * The kind of target that a fault hits, for faults that must not overlap.
 *
 * @param {FaultKind} kind
 */
export function roleOf(kind) {
  switch (kind) {
    case 'kill-worker':
    case 'drain-worker':
    case 'freeze-worker':
      return 'worker';
    case 'kill-api':
    case 'drain-api':
      return 'api';
    case 'kill-redis':
    case 'flush-redis':
    case 'fill-redis':
      return 'redis';
    case 'restart-postgres':
    case 'lock-postgres':
    case 'fill-postgres':
      return 'postgres';
    case 'drop-connections':
      return 'clients';
    case 'duplicate-jobs':
      return 'queue';
    default:
      throw new Error(`Unknown kind of fault: ${String(kind)}`);
  }
}
