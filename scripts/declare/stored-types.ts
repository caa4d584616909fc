/**
 * The rows of exports by the type of their lines, as this server stores them: `scripts/describe-types.mjs` makes
 * schemas of them, which imports are checked by.
 */
import type { TurnEvent } from '../../src/events/turn-event.js';
import type {
  compactions,
  notices,
  todos as todoLists,
  feedback as feedbackRows,
  sessions,
  turns,
} from '../../src/storage/schema.js';
import type {
  approvals,
  sessionGrants,
  steeredMessages,
} from '../../src/storage/governance-schema.js';
import type { memoryFiles } from '../../src/storage/file-schema.js';
import type { messages, steps, toolCalls } from '../../src/storage/transcript-schema.js';

/** Columns that later versions added are missing from files of earlier ones; times are text. */
type Row<Table extends { $inferSelect: object }, Hidden extends string = never> = {
  [Name in Exclude<keyof Table['$inferSelect'], Hidden>]?: Table['$inferSelect'][Name] extends Date
    ? string
    : Table['$inferSelect'][Name] extends Date | null
      ? string | null
      : Table['$inferSelect'][Name];
};

export type session = Row<typeof sessions, 'mcpServers' | 'prefix' | 'replayOf'>;
export type turn = Row<typeof turns, 'leaseUntil'>;
export type todos = Row<typeof todoLists>;
export type grant = Row<typeof sessionGrants>;
export type compaction = Row<typeof compactions>;
export type message = Row<typeof messages>;
export type steered = Row<typeof steeredMessages>;
export type step = Row<typeof steps>;
export type call = Row<typeof toolCalls>;
export type approval = Row<typeof approvals>;
export type notice = Row<typeof notices>;
export type feedback = Row<typeof feedbackRows>;
export type events = { events?: TurnEvent[] };
export type memoryFile = Row<typeof memoryFiles, 'version' | 'bytes' | 'callId'>;
