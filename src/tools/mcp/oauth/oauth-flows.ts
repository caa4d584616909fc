import {
  computeScopeUnion,
  exchangeAuthorization,
  IssuerMismatchError,
  OAuthError,
  startAuthorization,
  validateAuthorizationResponseIssuer,
  type OAuthTokens,
} from '@modelcontextprotocol/client';
import { hash, randomBytes } from 'node:crypto';
import { and, desc, eq, gt, notInArray } from 'drizzle-orm';
import * as z from 'zod/mini';
import type { NotedCredential } from '../../../access/principal.js';
import type { SecretPlace } from '../../../access/secrets/secret-columns.js';
import type { SecretVault } from '../../../access/secrets/secret-vault.js';
import type { Clock } from '../../../platform/clock.js';
import { compact } from '../../../platform/compact.js';
import type { Database } from '../../../storage/connection.js';
import { mcpBegunLogins } from '../../../storage/mcp-schema.js';
import type { Metrics } from '../../../telemetry/metrics.js';
import type { HttpDefinition } from '../definitions.js';
import {
  asking,
  checkPkce,
  isSafe,
  isSameIssuer,
  normalServer,
  type IssuerMetadata,
  type OAuthDiscovery,
} from './discovery.js';
import { clientShape } from './login-secret.js';
import type { NewMcpLogin } from './mcp-logins.js';
import {
  refusesClient,
  type OAuthClients,
  type Redirect,
  type UnansweredLogin,
} from './oauth-clients.js';
import { OAuthLoginError, printable } from './oauth-error.js';

/** Time in which a log-in that has begun is to be finished, in ms. */
const BEGUN_MS = 600_000;
/** Log-ins of one principal that have begun; one more ends the oldest. */
const MAX_BEGUN = 20;

const flowShape = z.object({
  /** Name of the server. */
  name: z.string(),
  server: z.string(),
  issuer: z.string(),
  redirectUrl: z.string(),
  verifier: z.string(),
  resource: z.optional(z.string()),
  asked: z.optional(z.string()),
  client: clientShape,
  /** SHA-256 of the cookie of the browser that finishes it. Absent: its person does, with a credential. */
  browser: z.optional(z.string()),
  /** The credential that began the log-in, for the audit log. */
  credential: z.record(z.string(), z.unknown()),
  /** When it began, in ms since the epoch. Absent: by an older version, `BEGUN_MS` before its end. */
  begunAt: z.optional(z.number()),
});
type Flow = z.infer<typeof flowShape>;

export interface LoginToBegin {
  principalId: string;
  /** The credential that begins it, for the audit log. */
  credential: NotedCredential;
  server: { name: string; definition: HttpDefinition };
  redirect: Redirect;
  /** What the person was asked. Absent: nobody asked. */
  question?: { issuer: string; scopes: readonly string[] };
  /** The cookie of the browser that finishes it. Absent: its person does, with a credential. */
  cookie?: string;
  /** The end of the credential, with which the log-in ends that it began. Absent: it outlives its credential. */
  endsAt?: Date;
}

/** A log-in that was finished: its tokens are not stored yet. */
export interface FinishedLogin extends NewMcpLogin {
  /** Scopes that it asked for, and those that it got. */
  scopes: readonly string[];
  begunAt: Date;
}

/** Who brings the answer of an authorization server: a browser by its cookie, or a person. */
export type Bringer = { cookie: string | undefined } | { principalId: string };

/** Log-ins at MCP servers: a link for a person, and later, in any process, the answer of the authorization server. */
export class OAuthFlows {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly vault: SecretVault,
    private readonly discovery: OAuthDiscovery,
    private readonly clients: OAuthClients,
    private readonly metrics: Pick<Metrics, 'mcpLogins'>,
  ) {}

  /**
   * Begins a log-in. The server opens no link: the person's browser does.
   *
   * @throws OAuthLoginError.
   */
  async begin(login: LoginToBegin): Promise<{ url: string; issuer: string; expiresAt: Date }> {
    const { principalId, credential, server, redirect, question, cookie, endsAt } = login;
    const { definition, name } = server;
    const { oauth = {}, url: serverUrl } = definition;
    const found = await this.discovery.find(definition);
    const { issuer, metadata, resource } = found;
    if (question !== undefined && !isSameIssuer(question.issuer, issuer)) {
      throw new OAuthLoginError('WRONG_ISSUER', { server: name, issuer });
    }
    checkPkce(metadata);
    const client = await this.clients.find(found, oauth, {
      server: serverUrl,
      redirect,
      principalId,
      unanswered: () => this.#unanswered(principalId),
    });
    const named = oauth.scopes ?? found.scopes;
    const wanted = question === undefined || question.scopes.length === 0 ? named : question.scopes;
    const offline = metadata.scopes_supported?.includes('offline_access') ? 'offline_access' : '';
    const asked = computeScopeUnion(wanted.join(' '), offline);
    const state = randomBytes(32).toString('base64url');
    const { authorizationUrl, codeVerifier } = await startAuthorization(issuer, {
      metadata,
      clientInformation: client,
      redirectUrl: redirect.url,
      state,
      ...compact({ scope: asked, resource }),
    });
    if (!isSafe(authorizationUrl)) throw new OAuthLoginError('UNSAFE_ADDRESS', { issuer });
    const flow: Flow = {
      name,
      server: normalServer(serverUrl),
      issuer,
      redirectUrl: redirect.url,
      verifier: codeVerifier,
      client,
      credential: { ...credential },
      begunAt: this.clock.now(),
      ...compact({ resource, asked, browser: cookie && hashOf(cookie) }),
    };
    const id = hashOf(state);
    const expiresAt = new Date(
      Math.min(this.clock.now() + BEGUN_MS, endsAt?.getTime() ?? Infinity),
    );
    const sealed = await this.vault.seal(JSON.stringify(flow), placeOf(id, principalId));
    await this.db.insert(mcpBegunLogins).values({ id, principalId, flow: sealed, expiresAt });
    await this.#endOldest(principalId);
    this.metrics.mcpLogins.inc({ outcome: 'begun' });
    return { url: authorizationUrl.href, issuer, expiresAt };
  }

  /**
   * The log-in that an answer belongs to, for the page on which its person finishes it. Nothing is changed.
   *
   * @throws OAuthLoginError NOT_BEGUN, OTHER_BROWSER, OTHER_PERSON.
   */
  async describe(
    answer: URLSearchParams,
    by: Bringer,
  ): Promise<{ name: string; server: string; issuer: string; principalId: string }> {
    const { flow, principalId } = await this.#find(answer, by);
    const { name, server, issuer } = flow;
    return { name, server, issuer, principalId };
  }

  /**
   * Finishes a log-in: takes the code of the answer for tokens. Whatever comes of it, no answer is taken again.
   *
   * @param answer the query of the URL that the authorization server sent the browser to.
   * @throws OAuthLoginError NOT_BEGUN, OTHER_BROWSER, OTHER_PERSON, WRONG_ISSUER, REFUSED, CODE_REFUSED, AWAY.
   */
  async finish(answer: URLSearchParams, by: Bringer): Promise<FinishedLogin> {
    const { id, flow, principalId, begunAt } = await this.#find(answer, by);
    const used = await this.db.delete(mcpBegunLogins).where(eq(mcpBegunLogins.id, id)).returning();
    if (used.length === 0) throw new OAuthLoginError('NOT_BEGUN');
    const { name, server, issuer, resource, asked, client, credential } = flow;
    const tokens = await this.#exchange(answer, flow, principalId).catch((error: unknown) => {
      this.metrics.mcpLogins.inc({ outcome: 'failed' });
      throw error;
    });
    this.metrics.mcpLogins.inc({ outcome: 'finished' });
    // Whether the server takes fewer than were asked for is seen with the next call.
    const scope = computeScopeUnion(asked, tokens.scope) ?? '';
    return {
      principalId,
      name,
      server,
      issuer,
      client,
      tokens,
      credential,
      scopes: scope.split(' ').filter((one) => one !== ''),
      begunAt,
      ...compact({ resource, asked }),
    };
  }

  /** Deletes the oldest begun log-ins of a principal that has too many: nobody fills the table. */
  async #endOldest(principalId: string): Promise<void> {
    const kept = this.db
      .select({ id: mcpBegunLogins.id })
      .from(mcpBegunLogins)
      .where(eq(mcpBegunLogins.principalId, principalId))
      .orderBy(desc(mcpBegunLogins.expiresAt), desc(mcpBegunLogins.id))
      .limit(MAX_BEGUN);
    await this.db
      .delete(mcpBegunLogins)
      .where(and(eq(mcpBegunLogins.principalId, principalId), notInArray(mcpBegunLogins.id, kept)));
  }

  /** Log-ins of a principal that have begun, and have no answer. */
  async #unanswered(principalId: string): Promise<UnansweredLogin[]> {
    const rows = await this.db
      .select()
      .from(mcpBegunLogins)
      .where(eq(mcpBegunLogins.principalId, principalId));
    const opened = rows.map(async (row) => {
      const { client, begunAt } = await this.#open(row);
      return { clientId: client.client_id, begunAt: begunAt.getTime() };
    });
    return Promise.all(opened);
  }

  async #exchange(answer: URLSearchParams, flow: Flow, principalId: string): Promise<OAuthTokens> {
    const { name: server, issuer, client, verifier, redirectUrl, resource } = flow;
    const facts = { server, issuer };
    const metadata = await this.discovery.metadataOf(issuer, flow.server);
    const iss = answer.get('iss') ?? undefined;
    try {
      // Also before an error is believed.
      validateAuthorizationResponseIssuer({
        iss,
        expectedIssuer: metadata.issuer,
        issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
      });
      const refusal = answer.get('error');
      const code = answer.get('code');
      if (refusal !== null || code === null) {
        const more = answer.get('error_description');
        const words = [refusal ?? 'no code', ...(more === null ? [] : [more])].join(': ');
        const said = { ...facts, error: printable(words) };
        const isClient = await this.#doubt(refusal ?? '', flow, { metadata, principalId });
        throw new OAuthLoginError(isClient ? 'CLIENT_REFUSED' : 'REFUSED', said);
      }
      return await exchangeAuthorization(issuer, {
        metadata,
        clientInformation: client,
        authorizationCode: code,
        codeVerifier: verifier,
        redirectUri: redirectUrl,
        ...compact({ iss, resource }),
        fetchFn: this.discovery.fetch(flow.server),
      });
    } catch (error) {
      if (error instanceof IssuerMismatchError) {
        await this.#doubt(answer.get('error') ?? 'access_denied', flow, { metadata, principalId });
        throw new OAuthLoginError('WRONG_ISSUER', facts, { cause: error });
      }
      if (!(error instanceof OAuthError)) return asking(() => Promise.reject(error));
      const isClient = refusesClient(error.code);
      if (isClient) await this.clients.forget(issuer, client);
      const fault = isClient ? 'CLIENT_REFUSED' : isAway(error) ? 'AWAY' : 'CODE_REFUSED';
      const said = { ...facts, error: printable(error.code) };
      throw new OAuthLoginError(fault, said, { cause: error });
    }
  }

  /** Doubts the client of an answer, unless its error says that it is about something else. @returns whether it is. */
  async #doubt(
    error: string,
    { issuer, server, client, redirectUrl }: Flow,
    of: { metadata: IssuerMetadata; principalId: string },
  ): Promise<boolean> {
    if (otherErrors.has(error)) return false;
    const at = { issuer, server, redirectUrl, ...of };
    return (await this.clients.doubt(error, client, at)) || refusesClient(error);
  }

  async #open({
    id,
    principalId,
    flow: sealed,
    expiresAt,
  }: typeof mcpBegunLogins.$inferSelect): Promise<Omit<Flow, 'begunAt'> & { begunAt: Date }> {
    const flow = flowShape.parse(
      JSON.parse(await this.vault.open(sealed, placeOf(id, principalId))),
    );
    return { ...flow, begunAt: new Date(flow.begunAt ?? expiresAt.getTime() - BEGUN_MS) };
  }

  async #find(
    answer: URLSearchParams,
    by: Bringer,
  ): Promise<{ id: string; principalId: string; flow: Flow; begunAt: Date }> {
    const id = hashOf(answer.get('state') ?? '');
    const now = new Date(this.clock.now());
    const [row] = await this.db
      .select()
      .from(mcpBegunLogins)
      .where(and(eq(mcpBegunLogins.id, id), gt(mcpBegunLogins.expiresAt, now)));
    if (row === undefined) throw new OAuthLoginError('NOT_BEGUN');
    const { principalId } = row;
    const { begunAt, ...flow } = await this.#open(row);
    if ('principalId' in by) {
      if (by.principalId !== principalId) throw new OAuthLoginError('OTHER_PERSON');
      // The answer to a link that was made for a browser comes back to that browser.
      if (flow.browser !== undefined) throw new OAuthLoginError('OTHER_BROWSER');
    } else if (by.cookie === undefined || flow.browser !== hashOf(by.cookie)) {
      throw new OAuthLoginError('OTHER_BROWSER');
    }
    return { id, principalId, flow, begunAt };
  }
}

/** Errors of answers that are about the person or the request, and not about the client (RFC 6749, OpenID Connect). */
const otherErrors: ReadonlySet<string> = new Set([
  'access_denied',
  'account_selection_required',
  'consent_required',
  'interaction_required',
  'invalid_scope',
  'invalid_target',
  'login_required',
  'server_error',
  'temporarily_unavailable',
  'unsupported_response_type',
]);

/** Whether an authorization server failed, and refused nothing. */
function isAway({ code }: OAuthError): boolean {
  return code === 'server_error' || code === 'temporarily_unavailable';
}

function placeOf(row: string, principalId: string): SecretPlace {
  return { column: mcpBegunLogins.flow, row, principalId };
}

function hashOf(text: string): string {
  return hash('sha256', text, 'hex');
}
