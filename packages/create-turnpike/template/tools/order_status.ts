import { defineTool, ToolFailure } from 'turnpike';
import * as z from 'zod';

const states = new Map([
  ['7', 'left the warehouse at nine'],
  ['8', 'waits for its payment'],
]);

export default defineTool({
  description: 'Looks up where an order is, by its number.',
  input: z.object({ id: z.string() }),
  effect: 'read',
  retry: 'safe',
  run: ({ id }) => {
    const state = states.get(id);
    if (state === undefined) throw new ToolFailure(`There is no order ${id}.`);
    return { id, state };
  },
});
