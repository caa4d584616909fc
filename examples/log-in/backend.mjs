import { TurnpikeClient } from 'turnpike/client';

const {
  PROVIDER_URL = 'http://localhost:4410',
  PAGE_URL = 'http://localhost:5173',
  TURNPIKE_URL = 'http://localhost:4400',
  TURNPIKE_API_KEY,
} = process.env;
const turnpike = new TurnpikeClient({ url: TURNPIKE_URL, key: TURNPIKE_API_KEY });

/** POST /turnpike-token makes a page token for the person who asks; DELETE ends theirs, at a log-out. */
export async function serveToken({ method, headers }, response) {
  const { authorization = '' } = headers;
  const person = await fetch(`${PROVIDER_URL}/me`, { headers: { authorization } });
  if (!person.ok) return response.writeHead(401).end('Log in first');
  const principal = `app:${(await person.json()).sub}`;
  if (method === 'DELETE') {
    await turnpike.tokens.end(principal);
    return response.writeHead(204).end();
  }
  const { token } = await turnpike.tokens.create({ principal, origin: PAGE_URL });
  response.end(token);
}
