/** Passes the page's requests on to Turnpike, and its streams back as they come. */
const server = process.env['TURNPIKE_URL'] ?? 'http://127.0.0.1:4400';

export const dynamic = 'force-dynamic';

/** What Turnpike is told of a request. It knows nothing of the page's cookies, nor of its address. */
const passed = [
  'accept',
  'authorization',
  'content-type',
  'idempotency-key',
  'last-event-id',
  'x-turnpike-ai-sdk',
];

async function answer(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const headers = new Headers();
  for (const name of passed) {
    const value = request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
  const answered = await fetch(`${server}${pathname.replace(/^\/turnpike/, '')}${search}`, {
    method: request.method,
    headers,
    ...(hasBody && { body: await request.arrayBuffer() }),
    // The turn goes on without its reader: the page resumes it.
    signal: request.signal,
    redirect: 'manual',
  });
  // `fetch` has taken the compression away already.
  const own = new Headers(answered.headers);
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) own.delete(name);
  return new Response(answered.body, { status: answered.status, headers: own });
}

export { answer as DELETE, answer as GET, answer as POST };
