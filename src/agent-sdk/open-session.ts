import type { ListedTurnView, SessionRecord, TurnpikeClient } from '../client/turnpike-client.js';
import type { HealthDto } from '../operations/health.dto.js';
import type { PermissionRules } from '../storage/shapes/stored-options.js';
import { isSameJson } from '../platform/json.js';
import { sessionOfUuid } from './message-ids.js';
import type { QueryPlan } from './plan-query.js';
import type { Options } from './query-options.js';
import { replayTurn } from './replay-turn.js';
import { UnsupportedError } from './sdk-errors.js';

/** The session that a query goes on in. */
export interface OpenedSession {
  record: SessionRecord;
  /** Whether it was there before. */
  isResumed: boolean;
  /** A turn that has not ended: the query reads it, and answers what it asks, before its own. */
  openTurn?: string;
  /** The turn whose place the first one takes, as what came after `resumeSessionAt` is left behind. */
  replaces?: string;
}

/**
 * Opens the session of a query: a new one, one to resume, the newest of the folder, or a fork of one.
 *
 * @throws TurnpikeError, as for a session that there is not; UnsupportedError.
 */
export async function openSession(
  client: TurnpikeClient,
  options: Options,
  plan: QueryPlan,
): Promise<OpenedSession> {
  checkCombination(options);
  await checkSandbox(client, plan);
  const known = await findSession(client, options);
  if (known === undefined) {
    const { sessionId } = options;
    const chosen =
      sessionId === undefined ? {} : { sessionId: sessionOfUuid(sessionId, 'sessionId') };
    const record = await client.sessions.create({ ...plan.session, ...chosen });
    return { record, isResumed: false };
  }
  checkRules(known, plan.rules);
  const [last, before] = await lastTurns(client, known.sessionId);
  if (options.resumeSessionAt !== undefined) {
    return cut(client, known, { at: options.resumeSessionAt, fork: options.forkSession === true });
  }
  const openTurn = last?.outcome === null ? { openTurn: last.turnId } : {};
  if (options.forkSession !== true) return { record: known, isResumed: true, ...openTurn };
  const ended = last?.outcome === null ? before : last;
  // Nothing was said in it: a new session is the same.
  if (ended === undefined) {
    return { record: await client.sessions.create(plan.session), isResumed: true };
  }
  const forked = await client.sessions.fork(known.sessionId, {
    turnId: ended.turnId,
    position: 'after',
  });
  return { record: forked.session, isResumed: true };
}

function checkCombination(options: Options): void {
  const { sessionId, resume, forkSession, resumeSessionAt } = options;
  const isResuming = resume !== undefined || options.continue === true;
  if (sessionId !== undefined && isResuming) {
    throw new UnsupportedError(
      'sessionId beside resume or continue',
      'leave sessionId out, because a resumed session keeps its id and a fork gets a new one',
    );
  }
  if (!isResuming && (forkSession === true || resumeSessionAt !== undefined)) {
    throw new UnsupportedError(
      forkSession === true ? 'forkSession by itself' : 'resumeSessionAt by itself',
      'name the session with resume',
    );
  }
}

/** Commands that nobody is asked about need a wall around them. */
async function checkSandbox(client: TurnpikeClient, { mode, tools }: QueryPlan): Promise<void> {
  if (mode !== 'bypassPermissions' || !tools.includes('bash')) return;
  const { commands } = await client.request<Pick<HealthDto, 'commands'>>({ path: '/health/agent' });
  if (commands?.kind !== 'unsandboxed') return;
  throw new UnsupportedError(
    'permissionMode bypassPermissions on a server without a sandbox',
    `name in allowedTools what may run unasked, or give the server one (docs/guide/sandbox.md): ${commands.weaknesses.join('; ')}`,
  );
}

async function findSession(
  client: TurnpikeClient,
  { resume, continue: goesOn = false, cwd }: Options,
): Promise<SessionRecord | undefined> {
  if (resume !== undefined) return client.sessions.get(sessionOfUuid(resume, 'resume'));
  if (!goesOn) return undefined;
  const folder = cwd ?? (await client.sessions.defaults()).projectRoot;
  const all = await client.sessions.inFolder(folder);
  const latest = (one: SessionRecord, other: SessionRecord): SessionRecord =>
    other.updatedAt >= one.updatedAt ? other : one;
  return all.length === 0 ? undefined : all.reduce(latest);
}

/** A session keeps the rules that it began with; one that takes the files of its project has theirs, too. */
function checkRules({ permissions, projectFiles }: SessionRecord, wanted: PermissionRules): void {
  const stored = permissions ?? {};
  const isKept =
    projectFiles === undefined ? isSameJson(sorted(stored), sorted(wanted)) : has(stored, wanted);
  if (isKept) return;
  throw new UnsupportedError(
    'A session that goes on with other rules',
    'give the allowedTools, disallowedTools, settings, hooks for PreToolUse and bypassPermissions that it began with, or begin a new session',
  );
}

/** Whether rules are among those of a session. */
function has(stored: PermissionRules, wanted: PermissionRules): boolean {
  const of = (rules: PermissionRules): string[] =>
    Object.entries(rules).flatMap(([list, all]) =>
      all.map((rule: unknown) => `${list} ${JSON.stringify(rule)}`),
    );
  const known = new Set(of(stored));
  return of(wanted).every((rule) => known.has(rule));
}

function sorted(rules: object): object {
  const lists = Object.entries(rules).map(([name, list]): [string, unknown] => [
    name,
    Array.isArray(list) ? list.map((rule: unknown) => JSON.stringify(rule)).toSorted() : list,
  ]);
  return Object.fromEntries(lists);
}

/** The newest turns of a session, at most two. */
async function lastTurns(client: TurnpikeClient, sessionId: string): Promise<ListedTurnView[]> {
  return (await client.sessions.turns(sessionId, { limit: 2 })).turns;
}

/** Leaves behind what came after a message: in a fork, or in the session itself. */
async function cut(
  client: TurnpikeClient,
  record: SessionRecord,
  { at, fork }: { at: string; fork: boolean },
): Promise<OpenedSession> {
  const { sessionId } = record;
  let next: string | undefined;
  let cursor: string | undefined;
  do {
    const page = await client.sessions.turns(sessionId, cursor === undefined ? {} : { cursor });
    for (const { turnId, outcome } of page.turns) {
      const place = outcome === null ? undefined : await placeOf(client, { turnId, sessionId }, at);
      if (place === 'inside') {
        throw new UnsupportedError(
          `resumeSessionAt ${at}`,
          'give the uuid of the last message of a turn: a session is cut between turns',
        );
      }
      if (place === 'end' && fork) {
        const forked = await client.sessions.fork(sessionId, { turnId, position: 'after' });
        return { record: forked.session, isResumed: true };
      }
      if (place === 'end') {
        return { record, isResumed: true, ...(next === undefined ? {} : { replaces: next }) };
      }
      next = turnId;
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  throw new UnsupportedError(
    `resumeSessionAt ${at}`,
    'give the uuid of a message of the session; those that a fork has copied have none',
  );
}

/** Where in a turn a message is; undefined: in another one. */
async function placeOf(
  client: TurnpikeClient,
  turn: { turnId: string; sessionId: string },
  uuid: string,
): Promise<'end' | 'inside' | undefined> {
  const replay = await replayTurn(client, turn);
  if (replay.endUuids.includes(uuid)) return 'end';
  const at = replay.messages.findIndex((message) => message.uuid === uuid);
  if (at === -1) return undefined;
  return at === replay.messages.length - 1 ? 'end' : 'inside';
}
