import type { PersonaLibrary } from '../../agents/persona-library.js';
import type { JsonObject } from '../../platform/json.js';
import { taskSchema, taskTool } from '../../tools/builtin/task.js';

/** The tool that delegates, as a turn's model is told of it: with whom it may delegate to. */
export async function describeTask(
  personas: Pick<PersonaLibrary, 'load'>,
  delegates: readonly string[],
): Promise<{ description: string; inputSchema: JsonObject }> {
  const agents = await Promise.all(delegates.map((name) => personas.load(name)));
  const lines = agents.map(
    ({ name, description }) => `- ${name}${description === undefined ? '' : `: ${description}`}`,
  );
  return {
    description: `${taskTool.description}\nAgents:\n${lines.join('\n')}`,
    inputSchema: taskSchema({ enum: [...delegates] }),
  };
}
