import { defineTool } from 'turnpike';

export default defineTool({
  description: 'The state of a ticket, by its number.',
  input: {
    type: 'object',
    properties: { number: { type: 'integer' } },
    required: ['number'],
  },
  effect: 'read',
  retry: 'safe',
  run: ({ number }) => `Ticket ${Number(number)} is open.`,
});
