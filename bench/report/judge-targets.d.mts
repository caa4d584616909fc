/** What a round of a scenario came to, as far as targets are judged by it. */
export interface Round {
  turns: number;
  deltas: number;
  turnsPerSecond: number;
  offered: number;
  delivered: number;
  latencyMs: { p50: number; p90: number; p99: number };
  ttftMs: { p50: number; p90: number; p99: number };
  lost: number;
  repeated: number;
  outOfOrder: number;
  errors: number;
  idleKb: number;
  peakKb: number;
  cpuMs: Record<string, number>;
}

export interface Verdict {
  target: string;
  seen: string;
  /** Undefined where it was not measured. */
  met: boolean | undefined;
}

/** Judges the targets for which a scenario ran: rounds are by scenario, then by what was measured. */
export function judgeTargets(
  rounds: Record<string, Record<string, Round[]>>,
  scenarios: Record<string, { streams: number; gapMs: number }>,
  checks: [],
): Verdict[];
