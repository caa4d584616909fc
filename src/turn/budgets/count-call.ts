import type { CallEstimate } from '../../governance/limits/find-headroom.js';
import { withDeadline } from '../../platform/async/deadlines.js';
import { estimateRequest, type TokenModel } from '../../provider/estimate-tokens.js';
import type { ModelProvider } from '../../provider/model-provider.js';
import type { ModelRequest } from '../../provider/model-types.js';
import type { Attempt } from '../state/attempt.js';

/** Milliseconds a turn waits for a count: an estimate would do. */
const COUNT_WAIT_MS = 3_000;

/** The members of a run that a count needs. */
export type CountSource = Pick<Attempt, 'lease' | 'clock' | 'logger'> & {
  model: { frame: { model: TokenModel } };
  services: { provider: Pick<ModelProvider, 'countTokens'> };
  progress: { steps: readonly unknown[] };
};

/**
 * Corrects an estimate by the provider's own count of the request. The count is requested only
 * where a wrong estimate would end a turn: its route has a rate limit of its own.
 *
 * @returns undefined where no count comes in time; the estimate stands then.
 * @throws the lease's reason when it ends.
 */
export async function countCall(
  run: CountSource,
  request: ModelRequest,
  estimate: CallEstimate,
): Promise<CallEstimate | undefined> {
  const { services, lease, clock, logger, model, progress } = run;
  const reason = new Error(`no count came in ${COUNT_WAIT_MS} ms`);
  try {
    const limit = { ms: COUNT_WAIT_MS, reason, outer: lease.signal };
    const total = await withDeadline(clock, limit, (signal) =>
      services.provider.countTokens(request, signal),
    );
    const off = total - (estimate.input + estimate.cached);
    if (progress.steps.length > 0) return shift(estimate, off);
    // Before the first call the whole request was estimated, and new tokens are off as far as the
    // rest.
    const whole = estimateRequest(request, model.frame.model);
    const added = Math.ceil((estimate.added * total) / Math.max(1, whole));
    return { ...shift(estimate, off), added };
  } catch (error) {
    lease.signal.throwIfAborted();
    logger.info(
      { error },
      'the provider did not count the tokens of a request; the server uses its own estimate',
    );
    return undefined;
  }
}

/** The cached prefix is known, so the error of the estimate lies in what is new. */
function shift(estimate: CallEstimate, off: number): CallEstimate {
  const { added, input } = estimate;
  return { ...estimate, added: Math.max(0, added + off), input: Math.max(0, input + off) };
}
