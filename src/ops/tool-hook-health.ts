import { compact } from '../platform/compact.js';
import type { ToolHookHealth } from '../tools/tool-hook.js';

/** How the tool hook answers the process: no reason of a failure, as health has no key and reasons name hosts. */
export interface HookHealth {
  failures_in_row: number;
  /** ISO 8601. Absent: never. */
  last_answer_at?: string;
  /** ISO 8601. Absent: never. */
  last_failure_at?: string;
}

export function hookHealth({ failuresInRow, answeredAt, failedAt }: ToolHookHealth): HookHealth {
  return {
    failures_in_row: failuresInRow,
    ...compact({ last_answer_at: isoOf(answeredAt), last_failure_at: isoOf(failedAt) }),
  };
}

function isoOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
