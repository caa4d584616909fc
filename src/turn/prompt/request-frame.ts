import type { JsonObject } from '../../platform/json.js';
import type { ModelRequest } from '../../provider/model-types.js';
import type { ToolSpec, ServerTool } from '../../storage/shapes/stored-options.js';
import type { Model } from '../../provider/model.js';
import type { ThinkingPlan } from '../../provider/thinking.js';

/** The parts of every request of a turn beside its messages and `maxTokens`. */
export interface RequestFrame {
  /** The model's name in the request. */
  modelName: string;
  model: Model;
  system: string;
  tools: readonly ToolSpec[];
  /** Tools that the provider runs. Absent: none. */
  serverTools?: readonly ServerTool[];
  /** Whether none of the tools may be called. */
  isToolless: boolean;
  /** Whether a reply may ask for one call at most. Absent: it may ask for several. */
  isOneCall?: boolean;
  thinking: ThinkingPlan;
  citations: boolean;
  /** JSON Schema that the provider holds replies to; absent: they are free. */
  outputSchema?: JsonObject;
  /** Steps up to this one, `turnId:step`, are sent without their thinking. */
  thinkingAfter: string | undefined;
  /** See `RequestPrefix`. */
  leftOut: readonly string[];
}

/** A request without its messages. */
export function requestOf(frame: RequestFrame): Omit<ModelRequest, 'messages' | 'maxTokens'> {
  const { modelName, system, tools, serverTools = [], thinking, citations } = frame;
  const { isToolless, isOneCall = false } = frame;
  const hasTools = tools.length + serverTools.length > 0;
  return {
    model: modelName,
    system,
    tools: [...tools],
    ...(serverTools.length === 0 ? {} : { serverTools }),
    thinking,
    citations,
    ...(isToolless && hasTools ? { toolChoice: 'none' as const } : {}),
    ...(isOneCall && !isToolless && hasTools ? { toolChoice: 'one' as const } : {}),
  };
}
