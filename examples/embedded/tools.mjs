import { defineTool } from 'turnpike';
import * as z from 'zod';

/** Tools of the application: functions of its own process. */
export const tools = [
  defineTool({
    name: 'order_status',
    description: 'Looks up where an order is.',
    input: z.object({ id: z.string() }),
    effect: 'read',
    retry: 'safe',
    run: ({ id }) => `Order ${id} left the warehouse at nine.`,
  }),
];
