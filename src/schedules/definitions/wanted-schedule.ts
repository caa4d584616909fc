import type { Overlap } from '../../storage/automation-schema.js';

/** A schedule as a principal asks for it. */
export interface WantedSchedule {
  cron: string;
  tz: string;
  /** `new`, or the id of the session of all its turns. */
  session: string;
  /** Persona of new sessions. Default: WORKING_ITEMS. */
  agent?: string;
  /** Absolute path of the folder of new sessions. Default: the principal's own. */
  projectRoot?: string;
  message: string;
  /** Options of each turn, but for `onBusy` and `onDisconnect`. */
  opts?: Record<string, unknown>;
  /** Default: `skip`. */
  overlap?: Overlap;
  /** Age up to which a slot is still run, in ms. Default: 600000. */
  catchUpMs?: number;
}
