import { withDeadline } from '../../platform/with-deadline.js';
import { estimateRequest, type TokenModel } from '../../provider/estimate-parts.js';
import type { ModelRequest } from '../../provider/model-types.js';
import type { TurnRun } from '../state/turn-run.js';
import type { CallEstimate } from './estimate-call.js';

/** How long a turn waits to be told a count, in ms: its end does not hang on it. */
const COUNT_WAIT_MS = 3_000;

/** The members of a run that a count needs. */
export type CountSource = Pick<TurnRun, 'lease' | 'clock' | 'logger'> & {
  frame: { model: TokenModel };
  provider: Pick<TurnRun['provider'], 'countTokens'>;
  progress: { steps: readonly unknown[] };
};

/**
 * An estimate put right by the provider's own count of the request. It is asked for only where a
 * wrong guess would end a turn: the route has a rate limit of its own.
 *
 * @returns undefined where the provider does not say in time; the estimate stands then.
 * @throws the lease's reason when it ends.
 */
export async function countCall(
  run: CountSource,
  request: ModelRequest,
  estimate: CallEstimate,
): Promise<CallEstimate | undefined> {
  const { provider, lease, clock, logger, frame, progress } = run;
  const reason = new Error(`no count came in ${COUNT_WAIT_MS} ms`);
  try {
    const limit = { ms: COUNT_WAIT_MS, reason, outer: lease.signal };
    const total = await withDeadline(clock, limit, (signal) =>
      provider.countTokens(request, signal),
    );
    const off = total - (estimate.input + estimate.cached);
    if (progress.steps.length > 0) return shift(estimate, off);
    // Before the first call the whole request was estimated, what is new as far as the rest.
    const whole = estimateRequest(request, frame.model);
    const added = Math.ceil((estimate.added * total) / Math.max(1, whole));
    return { ...shift(estimate, off), added };
  } catch (error) {
    lease.signal.throwIfAborted();
    logger.info({ error }, 'the provider gave no count: the estimate stands');
    return undefined;
  }
}

/** The cached prefix is known, so the error of the estimate lies in what is new. */
function shift({ added, input, cached }: CallEstimate, off: number): CallEstimate {
  return { added: Math.max(0, added + off), input: Math.max(0, input + off), cached };
}
