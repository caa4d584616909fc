import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../../access/principal.js';
import { PersonaLibrary } from '../../agents/persona-library.js';
import { CONFIG, type Config } from '../../config/config.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { compact } from '../../platform/compact.js';
import { isLongJson } from '../../platform/json.js';
import { sessionNotFound } from '../../session/session-errors.js';
import { SessionService } from '../../session/session-service.js';
import { SessionStore } from '../../session/session-store.js';
import { messageTooLong, optionsTooLong } from '../../turn/state/turn-errors.js';
import { invalidField } from '../schedule-errors.js';
import { findTimeFault } from '../timing/find-time-fault.js';
import type { KeyedDefinition } from './schedule-store.js';
import type { WantedSchedule } from './wanted-schedule.js';

/** Options that a schedule decides itself. */
const ownOptions = ['onBusy', 'onDisconnect'];

/** Checks what a principal says of a schedule, as far as it can be known before its turns. */
@Injectable()
export class DefinitionChecker {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'maxMessageChars' | 'maxBodyBytes'>,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly sessions: SessionStore,
    private readonly service: SessionService,
    private readonly personas: PersonaLibrary,
  ) {}

  /** @throws TypedError INVALID_REQUEST, SESSION_NOT_FOUND, PERSONA_NOT_FOUND, WORKING_ROOT_*. */
  async check(wanted: WantedSchedule, caller: Principal): Promise<KeyedDefinition> {
    const { cron: given, tz, message, opts, overlap = 'skip', catchUpMs = 600_000 } = wanted;
    const { agent = null, projectRoot = null } = wanted;
    const cron = given.trim().split(/\s+/).join(' ');
    const fault = findTimeFault(cron, tz, this.clock.now());
    if (fault !== undefined) throw invalidField(fault.param, fault.message);
    this.#checkRequest(message, opts);
    const sessionId = wanted.session === 'new' ? null : wanted.session;
    if (sessionId !== null) await this.#checkSession(sessionId, wanted, caller);
    else await this.#checkNew(wanted, caller);
    const what = { sessionId, agent, projectRoot, message, opts: opts ?? null };
    return { cron, tz, ...what, overlap, catchUpMs, keyId: caller.keyId };
  }

  #checkRequest(message: string, opts: WantedSchedule['opts']): void {
    const { maxMessageChars, maxBodyBytes } = this.config;
    if (message.trim() === '') throw invalidField('message', "'message' must not be blank");
    if (message.length > maxMessageChars) throw messageTooLong(message, maxMessageChars);
    if (isLongJson(opts, maxBodyBytes)) throw optionsTooLong(maxBodyBytes);
    const own = ownOptions.find((name) => opts !== undefined && name in opts);
    if (own !== undefined) {
      throw invalidField(
        `opts.${own}`,
        `'opts.${own}' is not for schedules: 'overlap' says what becomes of a busy session, and no reader is expected`,
      );
    }
  }

  async #checkSession(sessionId: string, wanted: WantedSchedule, caller: Principal): Promise<void> {
    const { principalId } = await this.sessions.get(sessionId);
    if (principalId !== caller.id) throw sessionNotFound(sessionId);
    if (wanted.agent === undefined && wanted.projectRoot === undefined) return;
    throw invalidField(
      wanted.agent === undefined ? 'projectRoot' : 'agent',
      "'agent' and 'projectRoot' are of new sessions: leave them out, or give 'session' as 'new'",
    );
  }

  async #checkNew(
    { agent, projectRoot, overlap }: WantedSchedule,
    caller: Principal,
  ): Promise<void> {
    if (overlap === 'queueOne') {
      throw invalidField(
        'overlap',
        "'overlap' queueOne needs the id of a 'session': turns of new sessions do not wait for each other. Give skip or allow",
      );
    }
    const { persona } = await this.service.check(compact({ projectRoot, persona: agent }), caller);
    await this.personas.load(persona);
  }
}
