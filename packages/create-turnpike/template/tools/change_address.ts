import { defineTool, ToolFailure } from 'turnpike';
import * as z from 'zod';
import { orders } from '../orders.ts';

export default defineTool({
  description: 'Changes the address of an order. Look the order up first.',
  // The page shows `from` and `to` as a change.
  input: z.object({ id: z.string(), from: z.string(), to: z.string() }),
  // A person is asked before each call.
  effect: 'edit',
  retry: 'safe',
  run: ({ id, from, to }) => {
    const order = orders.get(id);
    if (order === undefined) throw new ToolFailure(`There is no order ${id}.`);
    // What the person approved is a change of this address, and of no other. A second run of the call does no harm.
    if (order.address !== from && order.address !== to) {
      throw new ToolFailure(`Order ${id} goes to ${order.address} now.`);
    }
    order.address = to;
    return { id, ...order };
  },
});
