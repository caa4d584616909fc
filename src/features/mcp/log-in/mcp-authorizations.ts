import { Inject, Injectable } from '@nestjs/common';
import { eq, sql } from 'drizzle-orm';
import { randomBytes } from 'node:crypto';
import { notedCredential, type Principal, SecretVault } from '../../../access/face.js';
import { PersonaLibrary } from '../../../agents/face.js';
import { invalidRequest } from '../../../errors/typed-error.js';
import { compact, type Logger, LOGGER } from '../../../platform/face.js';
import { openCredentials } from '../../../session/face.js';
import { DATABASE, type Database } from '../../../storage/connection.js';
import { approvals } from '../../../storage/governance-schema.js';
import { foundRow } from '../../../storage/rows.js';
import { sessions, turns } from '../../../storage/schema.js';
import {
  type Bringer,
  type LoginToBegin,
  type Mcp,
  MCP,
  type McpLoginRow,
  McpLogins,
  OAuthFlows,
  OAuthLoginError,
  type Redirect,
} from '../../../tools/face.js';
import { approvalAlreadyResolved, ApprovalAnswerer, approvalNotFound } from '../../../turn/face.js';
import { mcpLoginNotFound } from '../mcp-login-errors.js';
import { questionOf, questionsMetBy } from './login-questions.js';
import type {
  BegunMcpLoginDto,
  EndedMcpLoginDto,
  FinishedMcpLoginDto,
  McpLoginDto,
  McpLoginListDto,
} from './mcp-authorizations.dto.js';

/** Where the answer of a log-in comes back to. */
export interface Beginning {
  redirect: Redirect;
  /** Of a browser that the server's own page is for: its cookie; undefined: it has none yet. Absent: of an application. */
  browser?: { cookie: string | undefined };
}

export interface BegunMcpLogin {
  begun: BegunMcpLoginDto;
  /** The cookie that the browser gets. Absent: an application brings the answer, with its person's credential. */
  cookie?: string;
}

/** Log-ins of people at MCP servers: begun for an approval or by themselves, finished in any process. */
@Injectable()
export class McpAuthorizations {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(MCP) private readonly mcp: Mcp,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly personas: PersonaLibrary,
    private readonly vault: SecretVault,
    private readonly flows: OAuthFlows,
    private readonly logins: McpLogins,
    private readonly answerer: ApprovalAnswerer,
  ) {}

  /** Log-ins of the caller, and servers of the configuration at which people log in. */
  async list({ id }: Principal): Promise<McpLoginListDto> {
    const rows = await this.logins.list(id);
    const servers = this.mcp.listForPeople().map(({ name, definition }) => ({
      name,
      host: new URL(definition.url).host,
    }));
    return { logins: rows.map(viewLogin), servers };
  }

  /** Ends a log-in here and at its issuer. @throws TypedError MCP_LOGIN_NOT_FOUND 404. */
  async end(caller: Principal, id: string): Promise<EndedMcpLoginDto> {
    const ended = await this.logins.end(caller, id);
    if (ended === undefined) throw mcpLoginNotFound(id);
    return { login: viewLogin(ended.row), isRevoked: ended.isRevoked };
  }

  /**
   * Begins a log-in that nobody asked for.
   *
   * @param agent whose servers are meant; undefined: those of the configuration.
   * @throws TypedError MCP_LOGIN_REFUSED 400, MCP_LOGIN_UNAVAILABLE 502; those of a wrong agent.
   */
  async begin(
    caller: Principal,
    { server, agent }: { server: string; agent: string | undefined },
    beginning: Beginning,
  ): Promise<BegunMcpLogin> {
    const { mcpServers } = agent === undefined ? {} : await this.personas.load(agent);
    const session = { id: '', mcpServers: null };
    const found = this.mcp.findForPeople({ agent: mcpServers, session }, server);
    return this.#begin(caller, { server: found, ...beginning });
  }

  /**
   * Begins the log-in that an approval asks for.
   *
   * @throws TypedError APPROVAL_NOT_FOUND, APPROVAL_RESOLVED, INVALID_REQUEST for another kind; and as `begin`.
   */
  async beginFor(
    caller: Principal,
    approvalId: string,
    beginning: Beginning,
  ): Promise<BegunMcpLogin> {
    const persona = sql<string>`coalesce(${turns.options} -> 'options' ->> 'persona', ${sessions.persona})`;
    const { id, principalId, mcpServers } = sessions;
    const rows = await this.db
      .select({ asked: approvals, session: { id, principalId, mcpServers }, persona })
      .from(approvals)
      .innerJoin(sessions, eq(sessions.id, approvals.sessionId))
      .innerJoin(turns, eq(turns.id, approvals.turnId))
      .where(eq(approvals.id, approvalId));
    const { asked, session, ...of } = foundRow(rows, () => approvalNotFound(approvalId));
    // Tokens are those of the person who logs in, and nobody logs in for another.
    if (session.principalId !== caller.id) throw approvalNotFound(approvalId);
    const question = questionOf(asked.question);
    if (asked.kind !== 'mcp-authorize' || question === undefined) {
      throw invalidRequest(
        `${approvalId} asks for no log-in: answer it with POST /api/harness/approvals/${approvalId}`,
      );
    }
    if (asked.decision !== null) throw approvalAlreadyResolved(asked);
    const { mcpServers: agent } = await this.personas.load(of.persona);
    const own = { id: session.id, mcpServers: await openCredentials(this.vault, session) };
    const server = this.mcp.findForPeople({ agent, session: own }, question.server);
    return this.#begin(caller, { server, question, ...beginning });
  }

  /** Who would log in where by an answer, for the page of the browser that it came to. @throws TypedError. */
  async describe(answer: URLSearchParams, cookie: string | undefined) {
    return typed(() => this.flows.describe(answer, { cookie }));
  }

  /**
   * Finishes a log-in: stores its tokens, and answers what the person was asked about it, in one transaction.
   *
   * @throws TypedError MCP_LOGIN_REFUSED 400, MCP_LOGIN_UNAVAILABLE 502.
   */
  async finish(answer: URLSearchParams, by: Bringer): Promise<FinishedMcpLoginDto> {
    const { scopes, begunAt, ...login } = await typed(
      () => this.flows.finish(answer, by),
      (error) => this.#note(error),
    );
    const { principalId, name, server, issuer, credential } = login;
    const { host } = new URL(server);
    const approvalIds = await typed(() =>
      this.answerer.approve({ principalId, credential }, async (tx) => {
        await this.logins.store(tx, login, begunAt);
        return questionsMetBy({ principalId, host, issuer, scopes }, tx);
      }),
    );
    this.logger.info(
      { server: name, issuer, principalId, answered: approvalIds.length },
      'a person logged in at an MCP server; the calls that asked for it go on',
    );
    return { server: name, issuer, approvalIds };
  }

  async #begin(
    { id: principalId, credential }: Principal,
    {
      server,
      question,
      redirect,
      browser,
    }: Beginning & Pick<LoginToBegin, 'question'> & { server: LoginToBegin['server'] | undefined },
  ): Promise<BegunMcpLogin> {
    const own = browser && { cookie: browser.cookie ?? randomBytes(32).toString('base64url') };
    return typed(
      async () => {
        if (server === undefined) throw new OAuthLoginError('UNKNOWN_SERVER');
        const { url, issuer, expiresAt } = await this.flows.begin({
          principalId,
          credential: notedCredential(credential),
          server,
          redirect,
          // A page token is lent for a time: what is begun with it is not finished after that.
          ...(credential.kind === 'page' && { endsAt: credential.expiresAt }),
          ...compact({ question }),
          ...own,
        });
        return { begun: { url, issuer, expiresAt: expiresAt.toISOString() }, ...own };
      },
      (error) => this.#note(error),
    );
  }

  /** Notes what an operator looks for. What a person did wrong, the person is told. */
  #note({ fault, facts, cause }: OAuthLoginError): void {
    if (cause === undefined) return;
    this.logger.warn(
      { reason: fault, ...facts, error: cause },
      'a person could not log in at an MCP server, and was told the reason; the person can begin again',
    );
  }
}

async function typed<T>(work: () => Promise<T>, note?: (error: OAuthLoginError) => void) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OAuthLoginError)) throw error;
    note?.(error);
    throw error.typed();
  }
}

function viewLogin({ id, name, server, issuer, ...row }: McpLoginRow): McpLoginDto {
  return {
    id,
    server: name,
    url: server,
    issuer,
    createdAt: row.createdAt.toISOString(),
    renewedAt: row.renewedAt.toISOString(),
    tokenExpiresAt: row.expiresAt?.toISOString() ?? null,
  };
}
