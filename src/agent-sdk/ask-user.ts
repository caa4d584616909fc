import type { ClientTool } from '../storage/shapes/stored-options.js';
import { isPlainObject } from '../platform/json.js';
import { ASK_USER } from './tool-names.js';

/** Questions to the person, which `canUseTool` answers: a tool of the caller's process without a handler. */
export const askUserTool: ClientTool = {
  name: ASK_USER,
  description: 'Ask the user one to four questions, each with options to choose from.',
  inputSchema: {
    type: 'object',
    properties: {
      questions: {
        type: 'array',
        minItems: 1,
        maxItems: 4,
        items: {
          type: 'object',
          properties: {
            question: { type: 'string', description: 'The whole question.' },
            header: { type: 'string', description: 'One or two words for it.' },
            multiSelect: { type: 'boolean', description: 'Whether several options may be chosen.' },
            options: {
              type: 'array',
              minItems: 2,
              maxItems: 4,
              items: {
                type: 'object',
                properties: { label: { type: 'string' }, description: { type: 'string' } },
                required: ['label', 'description'],
              },
            },
          },
          required: ['question', 'header', 'options', 'multiSelect'],
        },
      },
    },
    required: ['questions'],
  },
};

/** What the model reads of the answers that a program gave with the input. Pure. */
export function describeAnswers(input: Readonly<Record<string, unknown>>): string {
  const { answers } = input;
  if (!isPlainObject(answers) || Object.keys(answers).length === 0) {
    return 'The user gave no answer.';
  }
  return Object.entries(answers)
    .map(([question, answer]) => `${question}: ${String(answer)}`)
    .join('\n');
}
