/** Tools of the application: functions of its own process. */
export const tools = [
  {
    name: 'order_status',
    description: 'Looks up where an order is.',
    inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
    effect: 'read',
    retry: 'safe',
    run: ({ id }) => `Order ${id} left the warehouse at nine.`,
  },
];
