import { clientNotice } from '../../events/turn-event.js';
import { messages } from '../../storage/transcript-schema.js';
import type { StoredPart } from '../../storage/shapes/stored-step.js';
import type { PromptChoice } from '../../storage/shapes/stored-options.js';
import { pickColumns, writeKind } from '../../storage/write-kind.js';
import type { PromptAccess } from '../../tools/mcp/prompts.js';
import type { Attempt } from '../../turn/state/attempt.js';

/**
 * An attempt whose message has the prompt of an MCP server that the turn names: it is got once, before the first model
 * call, and stored with the message.
 *
 * @throws TypedError MCP_PROMPT_FAILURE.
 */
export async function withPrompt(attempt: Attempt, prompts: PromptAccess): Promise<Attempt> {
  const { turn, lease, storedParts, writer } = attempt;
  const { prompt } = turn.options.options;
  // The message of a replay has it, and a subagent's is its parent's.
  const isOwn = turn.request.replay === undefined && turn.parentTurnId === null;
  if (prompt === undefined || !isOwn) return attempt;
  const head = headOf(prompt);
  const isStored = storedParts.some((part) => part.type === 'text' && part.text.startsWith(head));
  if (turn.attempt > 1 && isStored) return attempt;
  const text = await prompts.get(prompt, lease.signal);
  const parts: StoredPart[] = [...storedParts, { type: 'text', text: `${head}${text}` }];
  const { server, name } = prompt;
  const notice = clientNotice(
    'message',
    'mcp-prompt',
    `The message has the text of the prompt ${name}, from the MCP server ${server}.`,
    { server, name, text },
  );
  await writer.commit([notice], [storeParts({ parts })]);
  return { ...attempt, storedParts: parts };
}

function headOf({ server, name }: PromptChoice): string {
  return `The prompt ${name} of the MCP server ${server}:\n\n`;
}

/** Replaces the parts of the turn's own message. */
const storeParts = writeKind(
  pickColumns(messages, ['parts']),
  (input) => `update messages set parts = input.parts from ${input} input
    where messages.turn_id = input.fence_id and messages.role = 'user'`,
);
