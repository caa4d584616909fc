import { providerDetails } from '../../provider/provider-errors.js';
import type { StepDraft } from '../state/attempt.js';
import type { TurnRun } from '../state/turn-run.js';

/** Measures a call's time to its first token; and the turn's, unless it had a reply before. */
export function measureFirstToken(
  { clock, ports, progress, turn }: TurnRun,
  { startedAt }: Pick<StepDraft, 'startedAt'>,
): void {
  const now = clock.now();
  ports.metrics.modelFirstToken.observe((now - startedAt.getTime()) / 1_000);
  if (progress.steps.length > 0 || turn.attempt > 1) return;
  ports.metrics.turnFirstToken.observe((now - turn.createdAt.getTime()) / 1_000);
}

/** Counts a call that failed, by the category of its error. */
export function countFailure({ ports }: Pick<TurnRun, 'ports'>, error: unknown): void {
  const { category } = providerDetails(error);
  ports.metrics.providerErrors.inc({ category: typeof category === 'string' ? category : 'other' });
}
