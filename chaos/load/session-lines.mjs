/** @typedef {import('../types.js').BranchPlan} BranchPlan */
/** @typedef {import('../types.js').ChaosSession} ChaosSession */
/** @typedef {import('../types.js').LineTurn} LineTurn */

/** The number by which a client of a fork follows that of its source: both have files of their own. */
const FORK_CLIENT = 1_000;

/**
 * The requests of a client, as its kit sends them.
 *
 * @typedef {object} Sender
 * @property {(client: number, place: TurnPlace) => Promise<LineTurn | undefined>} takeTurn sends a turn and reads
 *   it to its end; undefined: it was refused, or never answered
 * @property {(session: ChaosSession, point: ForkPoint) => Promise<ChaosSession | undefined>} fork undefined: refused
 * @property {() => boolean} isOver whether no further turn is to begin
 * @property {import('../types.js').Violation[]} violations
 *
 * @typedef {object} TurnPlace
 * @property {string} sessionId
 * @property {readonly LineTurn[]} line the turns before it, which its requests to the model have
 * @property {string} [replaces] the turn whose place it takes
 * @property {boolean} [mayLose] another turn asks for the place too
 *
 * @typedef {{ at: LineTurn, position: 'before' | 'after', isContested: boolean }} ForkPoint
 */

/** Grows the lines of sessions, and keeps what they must be. */
export class SessionLines {
  /** @param {Sender} sender */
  constructor(sender) {
    this.sender = sender;
  }

  /**
   * A turn after the last one of the line, if that is known.
   *
   * @param {ChaosSession} session
   * @param {number} client
   */
  async follow(session, client) {
    const { sessionId, line, isUnsure } = session;
    if (isUnsure) return;
    const taken = await this.sender.takeTurn(client, { sessionId, line: [...line] });
    if (taken === undefined) session.isUnsure = true;
    else session.line.push(taken);
  }

  /**
   * Forks the session or replaces a turn of it, as planned, and goes on from there if there is time.
   *
   * @param {ChaosSession} session
   * @param {number} client
   * @param {BranchPlan} plan
   */
  async branch(session, client, plan) {
    const at = session.line[plan.place % Math.max(1, session.line.length)];
    if (at === undefined || plan.kind === 'none' || session.isUnsure) return;
    if (plan.kind === 'replace') {
      await this.#replace(session, client, { at, ...plan });
      if (!this.sender.isOver()) await this.follow(session, client);
      return;
    }
    const fork = await this.sender.fork(session, { at, ...plan });
    if (fork === undefined || this.sender.isOver()) return;
    await Promise.all([this.follow(fork, client + FORK_CLIENT), this.follow(session, client)]);
  }

  /**
   * @param {ChaosSession} session
   * @param {number} client
   * @param {{ at: LineTurn, isContested: boolean }} plan
   */
  async #replace(session, client, { at, isContested }) {
    const { sessionId } = session;
    const line = session.line.slice(0, session.line.indexOf(at));
    const place = { sessionId, line, replaces: at.turnId, mayLose: isContested };
    const one = () => this.sender.takeTurn(client, place);
    const taken = await Promise.all(isContested ? [one(), one()] : [one()]);
    const [winner, ...others] = taken.filter((turn) => turn !== undefined);
    if (winner === undefined) {
      session.isUnsure = true;
      return;
    }
    session.line = [...line, winner];
    if (others.length === 0) return;
    const note = `${1 + others.length} turns took the place of ${at.turnId}`;
    this.sender.violations.push({ kind: 'line-differs', turnId: winner.turnId, note });
  }
}

/**
 * The line of a fork at a point of a session's.
 *
 * @param {ChaosSession} source
 * @param {Omit<ForkPoint, 'isContested'>} point
 */
export function forkedLine({ line }, { at, position }) {
  return line.slice(0, line.indexOf(at) + (position === 'after' ? 1 : 0));
}
