import { clientNotice } from '../../events/turn-event.js';
import { messages } from '../../storage/transcript-schema.js';
import type { StoredPart } from '../../storage/shapes/stored-step.js';
import type { PromptChoice } from '../../storage/shapes/stored-options.js';
import { pickColumns, writeKind } from '../../storage/write-kind.js';
import type { Attempt } from './attempt.js';

/** Where the text of a prompt comes from. */
export interface PromptSource {
  /** What stands before the text in the message: always the same for a choice. */
  head(choice: PromptChoice): string;
  /** What readers are told. */
  told(choice: PromptChoice): { kind: string; text: string };
  /** @throws TypedError MCP_PROMPT_FAILURE. The signal's reason when it aborts. */
  get(choice: PromptChoice, signal: AbortSignal): Promise<string>;
}

/**
 * An attempt whose message has the prompt that the turn names: it is got once, before the first model call, and stored
 * with the message.
 *
 * @throws TypedError MCP_PROMPT_FAILURE.
 */
export async function withPrompt(attempt: Attempt, source: PromptSource): Promise<Attempt> {
  const { turn, lease, storedParts, writer } = attempt;
  const { prompt } = turn.options.options;
  // The message of a replay has it, and a subagent's is its parent's.
  const isOwn = turn.request.replay === undefined && turn.parentTurnId === null;
  if (prompt === undefined || !isOwn) return attempt;
  const head = source.head(prompt);
  const isStored = storedParts.some((part) => part.type === 'text' && part.text.startsWith(head));
  if (turn.attempt > 1 && isStored) return attempt;
  const text = await source.get(prompt, lease.signal);
  const parts: StoredPart[] = [...storedParts, { type: 'text', text: `${head}${text}` }];
  const { server, name } = prompt;
  const { kind, text: told } = source.told(prompt);
  const notice = clientNotice('message', kind, told, { server, name, text });
  await writer.commit([notice], [storeParts({ parts })]);
  return { ...attempt, storedParts: parts };
}

/** Replaces the parts of the turn's own message. */
const storeParts = writeKind(
  pickColumns(messages, ['parts']),
  (input) => `update messages set parts = input.parts from ${input} input
    where messages.turn_id = input.fence_id and messages.role = 'user'`,
);
