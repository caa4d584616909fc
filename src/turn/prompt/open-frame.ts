import type { ResolvedOptions } from '../../storage/shapes/stored-options.js';
import { planThinking } from '../../provider/models/plan-thinking.js';
import type { RequestPrefix } from '../../storage/shapes/sent-request.js';
import type { RequestFrame } from './request-frame.js';
import type { TurnServices } from '../state/turn-services.js';

/** The frame of turns with these options, in a session whose requests begin so. */
export function openFrame(
  { models, settings }: Pick<TurnServices, 'models' | 'settings'>,
  options: ResolvedOptions,
  prefix: Pick<RequestPrefix, 'system' | 'tools' | 'serverTools' | 'thinkingAfter'>,
): RequestFrame {
  const model = models.describe(options.model);
  const most = Math.min(options.maxTokens ?? settings.limits.maxTokens, model.maxOutput);
  return {
    modelName: options.model,
    model,
    system: prefix.system,
    tools: prefix.tools,
    serverTools: prefix.serverTools ?? [],
    isToolless: false,
    thinking: planThinking(model, options.thinking, most),
    citations: options.citations,
    thinkingAfter: prefix.thinkingAfter,
  };
}
