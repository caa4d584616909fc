import { checkAgreement, weighFrames } from './check/check-agreement.mjs';
import { checkHook } from './check/check-hook.mjs';
import { checkMarks } from './check/check-marks.mjs';
import { checkReader } from './check/check-reader.mjs';
import { checkTurn } from './check/check-turn.mjs';
import { measureRecovery } from './check/measure-recovery.mjs';
import { countMarks } from './inspect/count-marks.mjs';
import { loadRows } from './inspect/load-rows.mjs';
import { sleep } from './load/world.mjs';
import { readWhole } from './load/run-turn.mjs';

/** @typedef {import('./types.js').TurnHistory} TurnHistory */
/** @typedef {import('./types.js').Violation} Violation */

/** How many turns are followed once more at the end, spread over the run. */
const MAX_REREAD_TURNS = 300;

/** The most turns with violations whose frames are kept. */
const MAX_OFFENDERS = 100;

/**
 * A checked turn, without its frames.
 *
 * @typedef {object} CheckedTurn
 * @property {string} turnId
 * @property {string} outcome as stored
 * @property {number} attempts
 * @property {number} frames of all readers
 * @property {number[]} recoveryMs
 * @property {import('./types.js').TurnRows['calls']} calls
 */

/** @typedef {{ turn: CheckedTurn, log: import('./types.js').Frame[], of: import('./types.js').World }} Sample */

/** Milliseconds between two looks at a turn without a reader. */
const LOOK_MS = 500;

/** Checks turns as they end, and some of them again at the end of the run. */
export class TurnAudit {
  /** @type {CheckedTurn[]} */
  turns = [];
  /** @type {Violation[]} */
  violations = [];
  /** Histories of turns with violations, for the report. @type {TurnHistory[]} */
  offenders = [];
  /** Every `#stride`th turn with its log, by digests, and the world of its reader. @type {Sample[]} */
  #sample = [];
  #stride = 1;

  /**
   * @param {import('pg').Pool} pool
   * @param {import('./types.js').World} world
   */
  constructor(pool, world) {
    this.pool = pool;
    this.world = world;
  }

  /**
   * @param {TurnHistory} history
   * @param {import('./types.js').World} of the client that read it
   */
  async check(history, of) {
    const { turnId, readers, fresh } = history;
    const rows = await this.#load(turnId, of);
    const violations = checkTurn(history, rows);
    this.violations.push(...violations);
    if (violations.length > 0 && this.offenders.length < MAX_OFFENDERS) {
      this.offenders.push(history);
    }
    const turn = {
      turnId,
      outcome: rows?.turn.status ?? 'missing',
      attempts: rows?.turn.attempt ?? 0,
      frames: readers.reduce((sum, reader) => sum + reader.frames.length, 0),
      recoveryMs: measureRecovery(readers[0]?.frames ?? []),
      calls: rows?.calls ?? [],
    };
    this.turns.push(turn);
    if (fresh !== undefined) this.#keep({ turn, log: weighFrames(fresh.frames), of });
  }

  /**
   * @param {string} turnId
   * @param {import('./types.js').World} of one who may read no end any more
   */
  async #load(turnId, { person, giveUpAt }) {
    for (;;) {
      const rows = await loadRows(this.pool, turnId, giveUpAt);
      const isLeft = person?.leaves === true && rows !== undefined && rows.turn.endedAt === null;
      if (!isLeft || Date.now() > giveUpAt) return rows;
      await sleep(LOOK_MS);
    }
  }

  /** @param {Sample} sample */
  #keep(sample) {
    if (this.turns.length % this.#stride !== 0) return;
    this.#sample.push(sample);
    if (this.#sample.length <= MAX_REREAD_TURNS) return;
    this.#sample = this.#sample.filter((_, index) => index % 2 === 1);
    this.#stride *= 2;
  }

  /**
   * Checks ended turns again after all faults: the log is the same, and no command ran later, or unasked.
   *
   * @param {string} projects
   * @param {ReadonlyMap<string, import('./types.js').HookRecord>} asked what the tool hook was
   */
  async checkAgain(projects, asked) {
    const lines = await countMarks(projects);
    this.violations.push(...checkMarks(this.turns, lines), ...checkHook(this.turns, lines, asked));
    for (const { turn, log, of } of this.#sample) {
      const { turnId, outcome } = turn;
      const rows = await loadRows(this.pool, turnId, this.world.giveUpAt);
      if (rows?.turn.status !== outcome) {
        const note = `was ${outcome}, is ${rows?.turn.status ?? 'missing'} at the end of the run`;
        this.violations.push({ kind: 'two-ends', turnId, note });
      }
      if (of.person?.leaves === true) continue;
      const now = await readWhole(of, turnId);
      if (now === undefined) {
        const note = 'its log cannot be read at the end of the run';
        this.violations.push({ kind: 'no-end', turnId, note });
        continue;
      }
      const before = { name: 'a read after the end', frames: log };
      this.violations.push(
        ...checkReader(turnId, now),
        ...checkAgreement(turnId, before, weighFrames(now.frames)),
      );
    }
  }
}
