/** The vocabulary of a turn, its live log and its archive. For wires and features. */

export { addDeliveries } from './add-deliveries.js';
export { loadArchiveAfter, loadArchives } from './archive.js';
export type { Cursor } from './cursor.js';
export { EVENT_LOG, type EventLog } from './event-log.js';
export {
  addUsage,
  clientNotice,
  contextTokens,
  type EventOf,
  type NoticePosted,
  noUsage,
  type OnEvents,
  promptTokens,
  type Source,
  type TurnEvent,
  type TurnOutcome,
  turnOutcomes,
} from './turn-event.js';
export type { Usage } from '../storage/shapes/stored-step.js';
