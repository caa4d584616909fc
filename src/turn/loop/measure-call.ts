import { providerDetails } from '../../provider/provider-errors.js';
import type { Attempt, StepDraft } from '../state/attempt.js';

/** Measures a call's time to its first token; and the turn's, unless it had a reply before. */
export function measureFirstToken(
  { clock, services, progress, turn }: Attempt,
  { startedAt }: Pick<StepDraft, 'startedAt'>,
): void {
  const now = clock.now();
  services.metrics.modelFirstToken.observe((now - startedAt.getTime()) / 1_000);
  if (progress.steps.length > 0 || turn.attempt > 1) return;
  services.metrics.turnFirstToken.observe((now - turn.createdAt.getTime()) / 1_000);
}

/** Counts a call that failed, by the category of its error. */
export function countFailure({ services }: Attempt, error: unknown): void {
  const { category } = providerDetails(error);
  services.metrics.providerErrors.inc({
    category: typeof category === 'string' ? category : 'other',
  });
}
