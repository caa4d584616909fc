import type { JsonObject } from '../../platform/json.js';
import { ToolFailure } from '../calls/tool-failure.js';
import type { ToolDefinition } from '../tool.js';

/** How the model names the tool that delegates. */
export const TASK_TOOL = 'task';

/** @param agent what is known of the names that may be given. */
export function taskSchema(agent: JsonObject): JsonObject {
  return {
    type: 'object',
    properties: {
      agent: { type: 'string', ...agent, description: 'Who does it.' },
      prompt: {
        type: 'string',
        minLength: 1,
        maxLength: 100_000,
        description: 'What is to be done.',
      },
    },
    required: ['agent', 'prompt'],
    additionalProperties: false,
  };
}

/**
 * Gives a piece of work to a subagent. What that one may do is decided call by call, within what
 * its parent may do: this call itself changes nothing. Side by side with others, as reads are.
 */
export const taskTool: ToolDefinition = {
  name: TASK_TOOL,
  description:
    'Give a piece of work to another agent and wait for its answer. It sees nothing of this conversation: say in the prompt all that it must know, and what it is to report. Several calls in one step work side by side.',
  inputSchema: taskSchema({ minLength: 1 }),
  effect: 'read',
  // Its key is the call: the subagent that was started for it goes on.
  retry: 'idempotent',
  timeLimit: 'turn',
  permissionArgument: { name: 'agent', kind: 'text' },
  open: ({ delegate }) => ({
    run: async ({ agent, prompt }, { callId, signal }) => {
      if (typeof agent !== 'string' || typeof prompt !== 'string') {
        throw new ToolFailure('task: agent and prompt must be text');
      }
      if (delegate === undefined) throw new ToolFailure('task: this turn may not delegate');
      return delegate({ agent, prompt, callId, signal });
    },
  }),
};
