export interface ToShare {
  /** What the parent has left. */
  left: number;
  /** What is reserved for subagents that have not ended. */
  reserved: number;
  /** Calls of this step that are still to get theirs, this one among them. */
  among: number;
}

/**
 * What one subagent may use of its parent's budget: what remains of it, in equal parts for those
 * that work side by side. All of them together can never use more. Pure.
 */
export function shareBudget({ left, reserved, among }: ToShare): number {
  return Math.max(0, left - reserved) / Math.max(1, among);
}
