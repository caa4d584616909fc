import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { boundSession, type Principal } from '../access/principal.js';
import { DEFAULT_PERSONA, isPersonaName } from '../agents/persona-name.js';
import { harnessLimits } from '../attachments/file-limits.js';
import { invalidRequest, isTypedError, TypedError } from '../errors/typed-error.js';
import { badCursor, type PageQueryDto } from '../http/paging/page-query.dto.js';
import { OptionLoader } from '../options/option-loader.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { newId } from '../platform/ids.js';
import { commandNameOfServer } from '../platform/process/command-name.js';
import { retryAdvice } from '../platform/retry-advice.js';
import { ModelProvider } from '../provider/model-provider.js';
import { compact } from '../platform/compact.js';
import { violatedConstraint } from '../storage/database-errors.js';
import type { SessionOrigin } from '../storage/shapes/stored-turn.js';
import {
  formatPageToken,
  parsePageToken,
  placeOfSession,
  type PagedSession,
  type SessionFilter,
} from './page-sessions.js';
import { ProjectRoots } from './project-roots.js';
import { DEFAULT_MODE, SessionTermsChecker, type SessionParams } from './session-terms.js';
import { SessionStore, type NewSession } from './session-store.js';
import {
  viewPagedSession,
  viewSession,
  type BootedSessionDto,
  type SessionDefaultsDto,
  type SessionPageDto,
  type SessionRecordDto,
} from './session.dto.js';

/** Sessions as clients see them. */
@Injectable()
export class SessionService {
  constructor(
    private readonly sessions: SessionStore,
    @Inject(ProjectRoots) private readonly projectRoots: Pick<ProjectRoots, 'check' | 'defaultOf'>,
    @Inject(OptionLoader) private readonly options: Pick<
      OptionLoader,
      'load' | 'checkApprovers' | 'checkAgent'
    >,
    @Inject(ModelProvider) private readonly provider: Pick<ModelProvider, 'checkModel'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SessionTermsChecker) private readonly terms: Pick<SessionTermsChecker, 'check'>,
  ) {}

  /**
   * @param caller its owner.
   * @param origin the wire that creates it.
   * @throws TypedError INVALID_REQUEST, FORBIDDEN_AGENT, WORKING_ROOT_*, SESSION_LIMIT.
   */
  async create(
    wanted: SessionParams,
    caller: Principal,
    origin: SessionOrigin = 'harness',
  ): Promise<SessionRecordDto> {
    const checked = await this.check(wanted, caller, origin);
    try {
      return viewSession(await this.sessions.create(checked));
    } catch (error) {
      if (violatedConstraint(error) !== 'sessions_pkey') throw error;
      throw invalidRequest(`'sessionId' ${checked.id} is taken: send another one, or none`);
    }
  }

  /**
   * Checks a session that is wanted, and stores nothing.
   *
   * @throws TypedError INVALID_REQUEST, FORBIDDEN_SCOPE, FORBIDDEN_AGENT, WORKING_ROOT_*.
   */
  async check(
    wanted: SessionParams,
    caller: Principal,
    origin: SessionOrigin = 'harness',
  ): Promise<NewSession> {
    const persona = wanted.persona ?? DEFAULT_PERSONA;
    if (!isPersonaName(persona)) {
      throw invalidRequest(
        "Missing or invalid 'persona': letters, digits, '_' and '-', at most 64",
      );
    }
    if (wanted.persona !== undefined) await this.options.checkAgent(persona, caller.agents);
    const { mode } = wanted;
    if (mode !== undefined && (mode.length > 64 || mode.includes('\0'))) {
      throw invalidRequest("Missing or invalid 'mode'");
    }
    const named = wanted.projectRoot ?? (await this.projectRoots.defaultOf(caller));
    const projectRoot = await this.projectRoots.check(named, caller);
    const { id: principalId, credential } = caller;
    const { mode: chosen = DEFAULT_MODE, ...terms } = await this.terms.check(wanted, {
      caller,
      projectRoot,
    });
    await this.options.checkApprovers([terms.permissions]);
    const id = compact({ id: wanted.sessionId });
    const own = { ...id, principalId, credential, projectRoot, persona, origin };
    return { ...own, mode: chosen, ...terms };
  }

  async defaults(caller: Principal): Promise<SessionDefaultsDto> {
    return {
      principal: caller.id,
      isKeyed: caller.credential.kind !== 'none',
      scopes: caller.scopes,
      command: commandNameOfServer(),
      projectRoot: await this.projectRoots.defaultOf(caller),
      persona: DEFAULT_PERSONA,
      mode: DEFAULT_MODE,
      attachmentBytes: harnessLimits.fileBytes,
    };
  }

  /** Lists the caller's sessions of a project, oldest first. */
  async list(projectRoot: string, caller: Principal): Promise<SessionRecordDto[]> {
    const { sessions, projectRoots } = this;
    const rows = await sessions.list(await projectRoots.check(projectRoot, caller), caller.id);
    const bound = boundSession(caller);
    return rows.filter(({ id }) => bound === undefined || id === bound).map(viewSession);
  }

  /**
   * Lists a page of a principal's sessions of all folders, the last used first.
   *
   * @throws TypedError INVALID_REQUEST 400 for an invalid cursor or limit.
   */
  async page(principalId: string, page: PageQueryDto & SessionFilter): Promise<SessionPageDto> {
    const { rows, ...rest } = await this.pageRows(principalId, page);
    return { sessions: rows.map(viewPagedSession), ...rest };
  }

  /**
   * As `page`, of one wire's sessions or of all, for views of the wires' own. The last pages have sessions once more
   * that were used since the first page: they may have left a page before it was shown.
   */
  async pageRows(
    principalId: string,
    { cursor, limit, ...wanted }: PageQueryDto & SessionFilter,
  ): Promise<{ rows: PagedSession[]; nextCursor?: string }> {
    const { sessions } = this;
    const after = cursor === undefined ? undefined : parsePageToken(cursor);
    if (after === undefined && cursor !== undefined) throw badCursor();
    // A row beyond the page shows whether another page follows.
    const inOrder =
      after?.moved === undefined
        ? await sessions.page(principalId, { ...wanted, after, limit: limit + 1 })
        : [];
    const rows = inOrder.slice(0, limit);
    const [newest, last] = [rows[0], rows.at(-1)];
    if (newest !== undefined && last !== undefined && inOrder.length > limit) {
      const first = after === undefined ? placeOfSession(newest) : after.first;
      const nextCursor = formatPageToken({ ...placeOfSession(last), ...compact({ first }) });
      return { rows, nextCursor };
    }
    if (after?.first === undefined) return { rows };
    const { first, moved: afterId = '' } = after;
    const room = limit - rows.length;
    const since = { ...wanted, first, afterId, limit: room + 1 };
    const used = await sessions.moved(principalId, since);
    const all = [...rows, ...used.slice(0, room)];
    if (used.length <= room) return { rows: all };
    const moved = used[room - 1]?.id ?? afterId;
    return { rows: all, nextCursor: formatPageToken({ ...after, moved }) };
  }

  async get(sessionId: string): Promise<SessionRecordDto> {
    return viewSession(await this.sessions.get(sessionId));
  }

  /** @param title null: the beginning of its first message. @throws TypedError SESSION_NOT_FOUND. */
  async rename(sessionId: string, title: string | null): Promise<SessionRecordDto> {
    return viewSession(await this.sessions.rename(sessionId, title));
  }

  /**
   * Checks everything a turn will need: root, instruction root, persona, key, and that the provider
   * knows the model. Costs no completion, may be repeated, and stores nothing when it fails.
   */
  async boot(sessionId: string, opts: unknown, caller: Principal): Promise<BootedSessionDto> {
    const session = await this.sessions.get(sessionId);
    await this.projectRoots.check(session.projectRoot, caller);
    const { resolution, persona: agent } = await orBootFailure(() =>
      this.options.load(session, opts),
    );
    await this.options.checkAgent(agent.name, caller.agents);
    await this.options.checkApprovers([agent.permissions, session.permissions]);
    const { persona, mode, model } = resolution.options;
    await orBootFailure(() => this.provider.checkModel(model));
    const bootFingerprint = createHash('sha256')
      .update(`${persona}::${mode}`)
      .digest('hex')
      .slice(0, 32);
    const claudeSessionId = session.claudeSessionId ?? newId('claude');
    const bootedAt = new Date(this.clock.now());
    const facts = { claudeSessionId, bootFingerprint, bootedAt, model };
    const booted = await this.sessions.update(sessionId, facts);
    return {
      session: viewSession(booted),
      boot: { claudeSessionId, bootFingerprint, bootedAt: bootedAt.toISOString() },
    };
  }
}

/**
 * A provider's refusal, or one that is known beforehand, as the contract has it for a boot. A missing
 * key keeps its status (503).
 */
async function orBootFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isTypedError(error, 'SDK_FAILURE') || error.status === 503) throw error;
    throw new TypedError('SDK_FAILURE', {
      message: `Boot turn failed before completion: ${error.message}`,
      details: { ...(error.details as object | undefined), exitCode: 1 },
      relayed: { status: 500, ...retryAdvice(error) },
      cause: error,
    });
  }
}
