import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '../../access/face.js';
import { PersonaLibrary } from '../../agents/face.js';
import { CONFIG, type Config } from '../../config/config.js';
import { type Clock, CLOCK, compact, isLongJson } from '../../platform/face.js';
import { OptionLoader } from '../../options/face.js';
import { sessionNotFound, SessionService, SessionStore } from '../../session/face.js';
import { messageTooLong, optionsTooLong } from '../../turn/face.js';
import { invalidField } from './schedule-errors.js';
import type { ScheduleDto, ScheduleRow } from './schedule.dto.js';
import { FireTimes } from './fire-times.js';

/** What a principal says of a schedule. */
export type Definition = Pick<
  ScheduleRow,
  | 'cron'
  | 'tz'
  | 'sessionId'
  | 'agent'
  | 'projectRoot'
  | 'message'
  | 'opts'
  | 'overlap'
  | 'catchUpMs'
>;

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
    private readonly options: OptionLoader,
  ) {}

  /** @throws TypedError INVALID_REQUEST, FORBIDDEN_AGENT, SESSION_NOT_FOUND, PERSONA_NOT_FOUND, WORKING_ROOT_*. */
  async check(wanted: ScheduleDto, caller: Principal): Promise<Definition> {
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
    return { cron, tz, ...what, overlap, catchUpMs };
  }

  #checkRequest(message: string, opts: ScheduleDto['opts']): void {
    const { maxMessageChars, maxBodyBytes } = this.config;
    if (message.trim() === '') throw invalidField('message', "'message' must not be blank");
    if (message.length > maxMessageChars) throw messageTooLong(message, maxMessageChars);
    if (isLongJson(opts, maxBodyBytes)) throw optionsTooLong(maxBodyBytes);
    const own = ownOptions.find((name) => opts !== undefined && name in opts);
    if (own !== undefined) {
      throw invalidField(
        `opts.${own}`,
        `'opts.${own}' is not allowed in a schedule: 'overlap' decides what happens while a turn runs, and its turns need no readers`,
      );
    }
  }

  async #checkSession(sessionId: string, wanted: ScheduleDto, caller: Principal): Promise<void> {
    const { principalId, persona } = await this.sessions.get(sessionId);
    if (principalId !== caller.id) throw sessionNotFound(sessionId);
    await this.options.checkAgent(namedIn(wanted.opts) ?? persona, caller.agents);
    if (wanted.agent === undefined && wanted.projectRoot === undefined) return;
    throw invalidField(
      wanted.agent === undefined ? 'projectRoot' : 'agent',
      "'agent' and 'projectRoot' are for new sessions, and 'session' names an existing one: leave them out, or set 'session' to 'new'",
    );
  }

  async #checkNew(
    { agent, projectRoot, overlap, opts }: ScheduleDto,
    caller: Principal,
  ): Promise<void> {
    if (overlap === 'queueOne') {
      throw invalidField(
        'overlap',
        "'overlap' queueOne needs the id of a 'session': turns of new sessions do not wait for each other. Give skip or allow",
      );
    }
    const { persona } = await this.service.check(compact({ projectRoot, persona: agent }), caller);
    // Nobody is there to be told that each of its turns is refused.
    await this.options.checkAgent(namedIn(opts) ?? persona, caller.agents);
    await this.personas.load(persona);
  }
}

/** The agent that options name. */
function namedIn(opts: ScheduleDto['opts']): string | undefined {
  const persona = opts?.['persona'];
  return typeof persona === 'string' && persona.trim() !== '' ? persona : undefined;
}

export interface TimeFault {
  /** The field that is wrong. */
  param: 'cron' | 'tz';
  message: string;
}

/** What is wrong with a schedule's times; undefined: nothing. @param now in ms since the epoch. Pure. */
export function findTimeFault(cron: string, tz: string, now: number): TimeFault | undefined {
  if (!isTimeZone(tz)) {
    const message = "'tz' must be a time zone of the IANA database, as 'Europe/Berlin' or 'UTC'";
    return { param: 'tz', message };
  }
  try {
    new FireTimes(cron, tz).after(now);
    return undefined;
  } catch (error) {
    return { param: 'cron', message: `'cron' ${whyNoTimes(cron, error)}` };
  }
}

const fields = [
  ['minute', '0 to 59'],
  ['hour', '0 to 23'],
  ['day of the month', '1 to 31'],
  ['month', '1 to 12, or JAN to DEC'],
  ['day of the week', '0 to 7 (0 and 7 are Sunday), or SUN to SAT'],
] as const;

function whyNoTimes(cron: string, error: unknown): string {
  const given = cron.trim().split(/ +/);
  if (given.length !== fields.length || /^@|[^\S ]/.test(cron)) {
    const names = fields.map(([name]) => name).join(', ');
    return `must have five fields, as '0 9 * * 1-5': ${names}`;
  }
  for (const [index, [name, range]] of fields.entries()) {
    const text = given[index] ?? '';
    // The others take any value, so that the fault is this field's.
    if (isCron(fields.map((_, other) => (other === index ? text : '*')).join(' '))) continue;
    return `has the ${name} '${text.slice(0, 60)}', which is not valid: write numbers from ${range}, as 1,5 or 1-5 (the lower one first) or */5`;
  }
  if (error instanceof RangeError) return `names a time that never comes, as 30 February`;
  return `is not valid: write five fields with one blank between two, as '0 9 * * 1-5'`;
}

function isCron(cron: string): boolean {
  try {
    return new FireTimes(cron, 'UTC') instanceof FireTimes;
  } catch {
    return false;
  }
}

/** Offsets, as '+02:00', are none: a schedule follows a clock that people read. */
function isTimeZone(tz: string): boolean {
  if (!/^[A-Za-z]/.test(tz)) return false;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: tz }).resolvedOptions().timeZone !== '';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
