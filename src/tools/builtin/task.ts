import type { JsonObject } from '../../platform/json.js';
import { ToolFailure, type ToolDefinition } from '../tool.js';

export const TASK_TOOL = 'task';

/** The input schema of `task`. @param agent schema keywords for the agent's name. */
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
 * Delegates work to a subagent. The subagent's calls are permitted one by one, within the permissions of
 * its parent; this call itself changes nothing, and runs in parallel with others, as reads do.
 */
export const taskTool: ToolDefinition = {
  name: TASK_TOOL,
  description:
    'Give a piece of work to another agent and wait for its answer. It sees nothing of this conversation: say in the prompt all that it must know, and what it is to report. Several calls in one step work side by side.',
  inputSchema: taskSchema({ minLength: 1 }),
  effect: 'read',
  // The call id identifies the subagent: a call that runs again finds the subagent it started.
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
