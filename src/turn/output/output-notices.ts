import type { JsonObject } from '../../platform/json.js';
import type { NewNotice } from '../../notices/notice.js';
import { TypedError } from '../../errors/typed-error.js';
import { repairMark } from './output-state.js';

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
