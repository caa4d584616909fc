import type { PersonaLibrary } from '../../agents/persona-library.js';
import { openAgentsOf, type Agents } from '../../session/project-agents.js';
import { TASK_TOOL, taskSchema, taskTool } from '../../tools/builtin/task.js';
import type { RegisteredTool, ToolRegistry } from '../../tools/registry.js';
import type { ToolSource } from '../state/tool-source.js';
import { offerOf } from '../state/turn-row.js';

/** The tool that delegates, for a turn that may, with the agents that it may delegate to. */
export function taskSource(personas: PersonaLibrary, registry: ToolRegistry): ToolSource {
  return {
    name: 'subagents',
    precedence: 10,
    owns: [TASK_TOOL],
    open: async ({ turn, session, services }, { root }) => {
      const delegates = offerOf(turn).delegation?.delegatedSubagents ?? [];
      const mayDelegate = turn.parentTurnId === null && delegates.length > 0;
      if (!mayDelegate) return { tools: [], bounds: [], reserved: [TASK_TOOL] };
      const agents = await openAgentsOf(session, root, { ...services, personas });
      const described = await describeTask(agents, delegates);
      return {
        tools: registry.select([TASK_TOOL]).tools.map((tool) => ({ ...tool, ...described })),
        bounds: ['parent', 'ceiling'],
      };
    },
  };
}

async function describeTask(
  personas: Agents,
  delegates: readonly string[],
): Promise<Pick<RegisteredTool, 'description' | 'inputSchema'>> {
  const agents = await Promise.all(delegates.map((name) => personas.load(name)));
  const lines = agents.map(
    ({ name, description }) => `- ${name}${description === undefined ? '' : `: ${description}`}`,
  );
  return {
    description: `${taskTool.description}\nAgents:\n${lines.join('\n')}`,
    inputSchema: taskSchema({ enum: [...delegates] }),
  };
}
