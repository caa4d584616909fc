import { defineTool } from 'turnpike';
import { createTurnpike, type EmbeddedTurnpike } from 'turnpike/server';

async function open(): Promise<EmbeddedTurnpike> {
  const opened = await createTurnpike({
    dataDir: '.turnpike-embedded',
    basePath: '/agents',
    tools: [
      defineTool({
        name: 'order_status',
        description: 'Looks up where an order is.',
        input: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
        effect: 'read',
        retry: 'safe',
        run: ({ id }) => `Order ${String(id)} left the warehouse at nine.`,
      }),
    ],
    // In place of the log-in of the application: its cookie is in `headers`, too.
    authenticate: ({ headers }) =>
      headers['x-user'] === undefined ? undefined : { principal: headers['x-user'] },
  });
  await opened.start();
  return opened;
}

// Next loads this file once for each of its bundles, and again after an edit: one Turnpike a process has the folder.
const shared: typeof globalThis & { turnpike?: Promise<EmbeddedTurnpike> } = globalThis;

export const turnpike = (shared.turnpike ??= open());
