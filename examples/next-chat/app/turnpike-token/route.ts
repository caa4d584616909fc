import { TurnpikeClient } from 'turnpike/client';

/** Gives the page a token of the person who asks. The key stays here. */
export async function POST(request: Request): Promise<Response> {
  const user = whoAsks(request);
  if (user === undefined) return new Response('Log in first', { status: 401 });
  const turnpike = new TurnpikeClient({
    url: process.env['TURNPIKE_URL'] ?? 'http://127.0.0.1:4400',
    key: process.env['TURNPIKE_API_KEY'],
  });
  const { token } = await turnpike.tokens.create({ principal: `app:${user}` });
  return new Response(token);
}

/** In place of the log-in of your application, whose cookie the request has. */
function whoAsks(request: Request): string | undefined {
  return request.headers.get('x-user') ?? 'visitor';
}
