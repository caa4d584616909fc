import { defineTool, ToolFailure } from 'turnpike';
import * as z from 'zod';
import { orders } from '../orders.ts';

export default defineTool({
  description: 'Looks up where an order is, and where it goes, by its number.',
  input: z.object({ id: z.string() }),
  effect: 'read',
  retry: 'safe',
  run: ({ id }) => {
    const order = orders.get(id);
    if (order === undefined) throw new ToolFailure(`There is no order ${id}.`);
    return { id, ...order };
  },
});
