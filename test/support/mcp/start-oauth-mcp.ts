import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import {
  AccessDeniedError,
  InvalidGrantError,
  InvalidTokenError,
  mcpAuthRouter,
  type OAuthServerProvider,
} from '@modelcontextprotocol/server-legacy/auth';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { isPlainObject } from '../../../src/platform/json.js';
import { serveHttp } from '../serve-http.js';

type Provider = OAuthServerProvider;
type Client = Parameters<Provider['authorize']>[0];
type Params = Parameters<Provider['authorize']>[1];
type Tokens = Awaited<ReturnType<Provider['exchangeAuthorizationCode']>>;

/** What the servers do from now on, and what they have seen. */
export interface OAuthMcpState {
  /** Whether the person logs in. */
  agrees: boolean;
  /** Life of an access token, in seconds. */
  lifeS: number;
  /** Whether a refresh token is given, and replaced by each refresh. */
  refreshable: boolean;
  /** How long a refresh takes, in ms. */
  refreshMs: number;
  /** Called for each request for metadata of the issuer, which is answered once it is done. */
  beforeMetadata: () => Promise<void>;
  /** Whether tools are listed to whoever asks. */
  listsToAll: boolean;
  /** Scopes that tokens get; undefined: those that were asked for. */
  grants: string[] | undefined;
  /** Scopes that calls of a tool need. */
  scopeOf: Record<string, string>;
  /** Fields of metadata, in place of the right ones; undefined: the field is missing. */
  issuerMetadata: Record<string, unknown>;
  resourceMetadata: Record<string, unknown>;
  /** Query of the redirect, in place of the right one. */
  redirect: Record<string, string>;
  /** The requests for tokens that failed or not, by their grant, with their fields. */
  tokenRequests: Record<string, string>[];
  /** Requests to open a page. */
  authorizations: Params[];
  registrations: number;
  /** Clients that it knows. A test deletes some, as a server that is deployed anew does. */
  clients: Map<string, unknown>;
  /** More fields of what is registered. */
  registration: Record<string, unknown>;
  /** Error with which the page sends a browser back whose client it does not know; undefined: it shows a page. */
  unknownClient: string | undefined;
  /** Redirects of the client that was registered last. */
  registered: readonly string[];
  revoked: string[];
  /** Headers of the requests to the MCP server, as JSON. */
  headers: string[];
  /** Tools that ran, with the token of the call. */
  ran: { tool: string; token: string | undefined }[];
}

export interface OAuthMcp extends OAuthMcpState {
  /** URL of the MCP server. */
  url: string;
  host: string;
  issuer: string;
  /** Ends all access tokens; refresh tokens too where `all` is set. */
  endTokens(all?: boolean): void;
  close(): Promise<void>;
}

/** An MCP server whose people log in at an authorization server made with the official package; both on loopback. */
export async function startOAuthMcp(): Promise<OAuthMcp> {
  const issuerApp = express();
  const mcpApp = express();
  const as = await serveHttp(issuerApp);
  const mcp = await serveHttp(mcpApp);
  const state: OAuthMcpState = {
    agrees: true,
    lifeS: 3_600,
    refreshable: true,
    refreshMs: 0,
    beforeMetadata: () => Promise.resolve(),
    listsToAll: true,
    grants: undefined,
    scopeOf: {},
    issuerMetadata: {},
    resourceMetadata: {},
    redirect: {},
    tokenRequests: [],
    authorizations: [],
    registrations: 0,
    clients: new Map(),
    registration: {},
    unknownClient: undefined,
    registered: [],
    revoked: [],
    headers: [],
    ran: [],
  };
  const live = { access: new Map<string, string[]>(), refresh: new Map<string, string[]>() };
  const issuer = new URL(as.url);
  issuerApp.use('/.well-known', async (_request, _response, next) => {
    await state.beforeMetadata();
    next();
  });
  issuerApp.use(patching(() => state.issuerMetadata));
  issuerApp.use(express.urlencoded({ extended: false }), (request, _response, next) => {
    const { body }: { body: unknown } = request;
    if (request.path === '/token' && isPlainObject(body)) {
      state.tokenRequests.push(body as Record<string, string>);
    }
    next();
  });
  issuerApp.get('/authorize', (request, response, next) => {
    const { searchParams: asked } = new URL(request.originalUrl, issuer);
    const isKnown = state.clients.has(asked.get('client_id') ?? '');
    if (isKnown || state.unknownClient === undefined) return next();
    const back = new URL(asked.get('redirect_uri') ?? '');
    const answer = { error: state.unknownClient, state: asked.get('state') ?? '' };
    back.search = String(new URLSearchParams({ ...answer, iss: issuer.href }));
    response.redirect(back.href);
  });
  const provider = newProvider(state, live);
  issuerApp.post('/token', (request, response, next) => {
    const { body }: { body: unknown } = request;
    if (!isPlainObject(body) || body['grant_type'] !== 'client_credentials') return next();
    const { client_id: id, client_secret: secret } = body;
    if (id !== 'deployment' || secret !== 'secret-of-it') {
      return void response.status(401).json({ error: 'invalid_client' });
    }
    response.json(issue(state, live, [], false));
  });
  const off = { rateLimit: false } as const;
  issuerApp.use(
    mcpAuthRouter({
      provider,
      issuerUrl: issuer,
      scopesSupported: ['read', 'write'],
      authorizationOptions: off,
      clientRegistrationOptions: off,
      revocationOptions: off,
      tokenOptions: off,
    }),
  );
  const url = `${mcp.url}/mcp`;
  const named = `${mcp.url}/.well-known/oauth-protected-resource/mcp`;
  mcpApp.get('/.well-known/oauth-protected-resource/mcp', (_request, response) => {
    const right = {
      resource: url,
      authorization_servers: [issuer.href],
      scopes_supported: ['read'],
    };
    response.json({ ...right, ...state.resourceMetadata });
  });
  mcpApp.all('/mcp', express.json(), (request, response) => {
    state.headers.push(JSON.stringify(request.headers));
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    const refusal = refuse(request, { state, scopes: live.access.get(token ?? ''), token });
    if (refusal === undefined) return void answerMcp(request, response, { state, token });
    const { status, challenge } = refusal;
    const header = `Bearer resource_metadata="${named}"${challenge}`;
    response.status(status).set('WWW-Authenticate', header).json({ error: 'refused' });
  });
  const own = {
    url,
    host: new URL(url).host,
    issuer: issuer.href,
    endTokens: (all = false) => {
      live.access.clear();
      if (all) live.refresh.clear();
    },
    close: async () => {
      await Promise.all([as.close(), mcp.close()]);
    },
  };
  return Object.assign(state, own);
}

/** Changes fields of the metadata that go out. */
function patching(fields: () => Record<string, unknown>): RequestHandler {
  return (request, response, next) => {
    if (!request.path.includes('/.well-known/')) return next();
    const json = response.json.bind(response);
    response.json = (body: unknown) => json(isPlainObject(body) ? { ...body, ...fields() } : body);
    next();
  };
}

type Live = Record<'access' | 'refresh', Map<string, string[]>>;

function issue(state: OAuthMcpState, live: Live, scopes: string[], refreshable: boolean): Tokens {
  const access = `access-${randomUUID()}`;
  live.access.set(access, scopes);
  const refresh = `refresh-${randomUUID()}`;
  if (refreshable) live.refresh.set(refresh, scopes);
  return {
    access_token: access,
    token_type: 'bearer',
    expires_in: state.lifeS,
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    ...(refreshable && { refresh_token: refresh }),
  };
}

function newProvider(state: OAuthMcpState, live: Live): Provider {
  const codes = new Map<string, Params>();
  return {
    authorizationResponseIssParameterSupported: true,
    clientsStore: {
      getClient: (id) => state.clients.get(id) as Client | undefined,
      registerClient: (client) => {
        state.registrations += 1;
        state.registered = client.redirect_uris.map(String);
        const made = { ...client, client_id: randomUUID(), client_id_issued_at: 1 };
        state.clients.set(made.client_id, made);
        return { ...made, ...state.registration };
      },
    },
    async authorize(_client, params, response) {
      state.authorizations.push(params);
      if (!state.agrees) throw new AccessDeniedError('Not <today>');
      const code = randomUUID();
      codes.set(code, params);
      const target = new URL(params.redirectUri);
      target.searchParams.set('code', code);
      if (params.state !== undefined) target.searchParams.set('state', params.state);
      for (const [name, value] of Object.entries(state.redirect)) {
        target.searchParams.set(name, value);
      }
      response.redirect(target.href);
    },
    challengeForAuthorizationCode: async (_client, code) => codes.get(code)?.codeChallenge ?? '',
    async exchangeAuthorizationCode(_client, code, _verifier, redirectUri) {
      const params = codes.get(code);
      codes.delete(code);
      if (params?.redirectUri !== redirectUri) throw new InvalidGrantError('not this code');
      return issue(state, live, state.grants ?? params?.scopes ?? [], state.refreshable);
    },
    async exchangeRefreshToken(_client, refresh) {
      await wait(state.refreshMs);
      const scopes = live.refresh.get(refresh);
      if (scopes === undefined) throw new InvalidGrantError('it was used before');
      live.refresh.delete(refresh);
      return issue(state, live, scopes, state.refreshable);
    },
    async verifyAccessToken(token) {
      const scopes = live.access.get(token);
      if (scopes === undefined) throw new InvalidTokenError('unknown');
      return { token, clientId: 'any', scopes };
    },
    async revokeToken(_client, { token }) {
      state.revoked.push(token);
      live.access.delete(token);
      live.refresh.delete(token);
    },
  };
}

function refuse(
  request: Request,
  {
    state,
    scopes,
    token,
  }: { state: OAuthMcpState; scopes: string[] | undefined; token?: string | undefined },
): { status: number; challenge: string } | undefined {
  const { body }: { body: unknown } = request;
  const [method, params] = isPlainObject(body) ? [body['method'], body['params']] : [];
  const isOpen = state.listsToAll && method !== 'tools/call' && method !== 'prompts/get';
  if (scopes === undefined)
    return isOpen && token === undefined ? undefined : { status: 401, challenge: '' };
  const needed =
    method === 'tools/call' && isPlainObject(params)
      ? state.scopeOf[String(params['name'])]
      : undefined;
  if (needed === undefined || scopes.includes(needed)) return undefined;
  return { status: 403, challenge: `, error="insufficient_scope", scope="${needed}"` };
}

async function answerMcp(
  request: Request,
  response: Response,
  { state, token }: { state: OAuthMcpState; token: string | undefined },
): Promise<void> {
  const server = new Server(
    { name: 'oauth', version: '1' },
    { capabilities: { tools: {}, prompts: {} } },
  );
  const inputSchema = { type: 'object' as const };
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: ['whoami', 'write', 'echo'].map((name) => ({ name, inputSchema })),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    state.ran.push({ tool: params.name, token });
    const text = params.name === 'echo' ? `token: ${token ?? 'none'}` : `${params.name} ran`;
    return { content: [{ type: 'text', text }] };
  });
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [{ name: 'hello' }] }));
  server.setRequestHandler(GetPromptRequestSchema, () => ({
    messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'Say hello.' } }],
  }));
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  response.on('close', () => void transport.close());
  await server.connect(transport);
  await transport.handleRequest(request, response, request.body);
}
