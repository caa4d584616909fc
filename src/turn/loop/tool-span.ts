import type { ToolOutcome } from '../../tools/calls/run-tool.js';
import { attributes, spanNames } from '../../tracing/span-names.js';
import type { Attempt, ToolUse } from '../state/attempt.js';

/** Runs a tool's call in a span of its own, which what the tool does is below. */
export async function traceTool(
  { services: { tracing } }: Attempt,
  { id, name, input }: ToolUse,
  work: () => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const span = tracing.start(spanNames.tool(name), {
    kind: 'internal',
    attributes: {
      [attributes.operation]: 'execute_tool',
      [attributes.toolName]: name,
      [attributes.toolCallId]: id,
      [attributes.toolType]: 'function',
    },
  });
  try {
    if (span.showsContent) span.show(attributes.toolArguments, input);
    const outcome = await span.run(work);
    if (span.showsContent) span.show(attributes.toolResult, outcome.output);
    if (outcome.status === 'error') span.fail('tool_error');
    return outcome;
  } finally {
    span.end();
  }
}
