import type { ModelRequest, ToolSpec } from '../provider/model-types.js';
import type { Model } from '../provider/models/model.js';
import { planThinking, type ThinkingPlan } from '../provider/models/plan-thinking.js';
import type { ResolvedOptions } from '../options/resolve-options.js';
import type { RequestPrefix } from '../storage/schema.js';
import type { TurnServices } from './turn-services.js';

/** What every request of a turn has beside its messages and the room for a reply. */
export interface RequestFrame {
  /** As the request names it. */
  modelName: string;
  model: Model;
  system: string;
  tools: readonly ToolSpec[];
  /** Whether none of the tools may be called. */
  isToolless: boolean;
  thinking: ThinkingPlan;
  citations: boolean;
  /** Steps up to this one, `turnId:step`, are sent without their thinking. */
  thinkingAfter: string | undefined;
}

/** The frame of turns with these options, in a session whose requests begin so. */
export function openFrame(
  { models, settings }: Pick<TurnServices, 'models' | 'settings'>,
  options: ResolvedOptions,
  prefix: Pick<RequestPrefix, 'system' | 'tools' | 'thinkingAfter'>,
): RequestFrame {
  const model = models.describe(options.model);
  const most = Math.min(options.maxTokens ?? settings.limits.maxTokens, model.maxOutput);
  return {
    modelName: options.model,
    model,
    system: prefix.system,
    tools: prefix.tools,
    isToolless: false,
    thinking: planThinking(model, options.thinking, most),
    citations: options.citations,
    thinkingAfter: prefix.thinkingAfter,
  };
}

/** A request without its messages. */
export function requestOf(frame: RequestFrame): Omit<ModelRequest, 'messages' | 'maxTokens'> {
  const { modelName, system, tools, isToolless, thinking, citations } = frame;
  return {
    model: modelName,
    system,
    tools: [...tools],
    thinking,
    citations,
    ...(isToolless && tools.length > 0 ? { toolChoice: 'none' as const } : {}),
  };
}
