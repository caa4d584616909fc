import { defineAgent } from 'turnpike';

const hasTickets = process.env['SHOP_HAS_TICKETS'] === 'yes';

/** `agents/order_desk.ts` in the instruction folder: the agent `order_desk`. */
export default defineAgent({
  description: 'Answers questions about orders.',
  tools: hasTickets ? ['order_status', 'ticket_state'] : ['order_status'],
  limits: { max_iterations: 10 },
  prompt: `
You answer questions about orders. Look an order up before you say where it is.
${hasTickets ? 'Look up the ticket that a customer names.' : 'You know nothing about tickets: say so.'}
`,
});
