import { defineTool, ToolFailure } from 'turnpike';
import * as z from 'zod';

export default defineTool({
  description: 'Looks up where an order is.',
  input: z.object({ id: z.string(), lines: z.boolean().default(false) }),
  effect: 'read',
  retry: 'safe',
  run: ({ id, lines }, { principal }) => {
    if (id === '0') throw new ToolFailure('There is no order 0.');
    return {
      id,
      state: 'left the warehouse at nine',
      for: principal,
      lines: lines ? ['a bell'] : [],
    };
  },
});
