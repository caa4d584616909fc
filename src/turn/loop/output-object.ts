import type { JsonObject } from '../../platform/json.js';
import { judgeOutput, type JudgedOutput } from '../../tools/output/schema-checks.js';
import type { AssistantPart } from '../../storage/shapes/stored-step.js';
import type { OutputPlan } from '../state/attempt-context.js';
import type { FinishedStep, Progress } from '../state/attempt.js';
import type { NewNotice } from '../../governance/notices/trigger.js';
import { TypedError } from '../../errors/typed-error.js';

/**
 * The object of a turn's last reply, as far as it goes. `missed`: it is none, and the model is to be told
 * why; `asked`: the model was told, and has not replied; `spent`: it was none once too often.
 */
export type OutputState =
  | { type: 'valid'; output: JsonObject }
  | { type: 'missed' | 'asked' | 'spent'; faults: string };

/** The mark of the notice that asks for another reply than a step's. */
export function repairMark(step: number): string {
  return `output-repair:${step}`;
}

/**
 * Judges the last reply of a turn, from stored rows alone: a recovered turn decides the same. Undefined
 * where the reply is not a last one: it asks for tools, or was cut. Never an earlier reply.
 */
export async function findOutput(
  { steps, notices }: Pick<Progress, 'steps' | 'notices'>,
  { repairs, check }: OutputPlan,
): Promise<OutputState | undefined> {
  const last = steps.at(-1);
  if (last === undefined || !isWhole(last)) return undefined;
  const judged: JudgedOutput = await judgeOutput(finalText(last.parts), check);
  if ('output' in judged) return { type: 'valid', ...judged };
  const marks = notices.map(({ mark }) => mark);
  if (marks.includes(repairMark(last.step))) return { type: 'asked', ...judged };
  const asked = steps.filter(({ step }) => marks.includes(repairMark(step))).length;
  return { type: asked < repairs ? 'missed' : 'spent', ...judged };
}

function isWhole({ stopReason }: FinishedStep): boolean {
  return stopReason === 'end_turn' || stopReason === 'stop_sequence';
}

/** The text of a reply after its last tool, which may be one that the provider ran. */
function finalText(parts: readonly AssistantPart[]): string {
  const tool = parts.findLastIndex(({ type }) => type === 'tool_use' || type === 'opaque');
  return parts
    .slice(tool + 1)
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('');
}

export const formatMark = 'output-format';

/** Asks for an object of a model whose replies cannot be held to a schema. */
export function formatNotice(schema: JsonObject): NewNotice {
  return {
    mark: formatMark,
    kind: 'output-format',
    level: 'step',
    text: `End your answer to this message with one JSON object and nothing else: no words before or after it, no Markdown. It must match this JSON Schema:\n${JSON.stringify(schema)}`,
    metadata: {},
    seenByModel: true,
  };
}

/** Asks for another reply than that of a step. */
export function repairNotice(step: number, faults: string): NewNotice {
  return {
    mark: repairMark(step),
    kind: 'output-repair',
    level: 'step',
    text: `Your reply is not the JSON object that was asked for: ${faults}. Write the whole object again, correctly, and nothing else.`,
    metadata: { step, faults },
    seenByModel: true,
  };
}

/** The error of a turn whose model wrote no such object as often as it might. */
export function outputInvalid(step: number, faults: string): TypedError {
  return new TypedError('OUTPUT_INVALID', {
    message: `The model did not write the object that was asked for: ${faults}. Its last reply is in the turn's messages.`,
    details: { step, faults },
  });
}
