import { givenOptions } from '../../options/choose-value.js';
import { compact } from '../../platform/compact.js';
import type { ResolvedOptions } from '../../storage/shapes/stored-options.js';

/** The changes of a replay to the recorded turn. Absent fields stay as they were. */
export interface ReplayChanges {
  model?: string | undefined;
  agent?: string | undefined;
  opts?: object | undefined;
}

/**
 * The options of a replay: the recorded request's, with the model, the agent and the mode that came of it then, and
 * the changes over them. It runs in the background, and no reader's absence ends it, unless the changes say so. Pure.
 */
export function replayOptions(
  recorded: { opts: unknown; resolved: Pick<ResolvedOptions, 'model' | 'persona' | 'mode'> },
  { model, agent, opts }: ReplayChanges,
): Record<string, unknown> {
  const { replaces: _place, onBusy: _busy, ...asked } = givenOptions(recorded.opts);
  const { model: ofThen, persona, mode } = recorded.resolved;
  const own = { priority: 'background', onDisconnect: 'continue' };
  const { onBusy: _none, ...changes } = givenOptions(opts);
  return {
    ...asked,
    model: ofThen,
    persona,
    mode,
    ...own,
    ...changes,
    ...compact({ model, persona: agent }),
  };
}
