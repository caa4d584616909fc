import type { LookupFunction } from 'node:net';
import pLimit from 'p-limit';
import { type JsonObject, isPlainObject } from '../platform/json.js';
import { compact } from '../platform/compact.js';
import { withDeadline, untilAborted } from '../platform/async/deadlines.js';
import type { Clock } from '../platform/clock.js';
import { type InsideHosts, judgeUrl } from '../http/outgoing/judge-url.js';
import { SignedPoster } from '../http/outgoing/signed-poster.js';
import { printJson } from '../platform/exact-json.js';
import { ConfigError, type Config } from '../config/config.js';
import { cutText } from '../platform/text/cut-text.js';
import { storableText } from '../storage/connection.js';

/** Longest time of a question, with the wait for its turn. */
const TIMEOUT_MS = 2_000;

/** Questions of a process at a time. */
const MAX_CONCURRENT = 64;

/** A call that is about to run, as the hook gets it. */
export interface HookQuestion {
  turnId: string;
  sessionId: string;
  /** The turn whose subagent asks. Absent: none. */
  parentTurnId?: string;
  principal: string;
  agent: string;
  callId: string;
  tool: string;
  input: JsonObject;
  /** What the permission rules say: `ask` or `allow`, as the hook is not asked about what is denied. */
  rules: { decision: string; rule: string; reason: string };
}

export type HookVerdict =
  | ({ type: 'answered' } & HookAnswer)
  /** There is no answer. `reason` completes "the tool hook …". */
  | { type: 'failed'; reason: string };

/** How the hook answered this process so far. */
export interface ToolHookHealth {
  /** When it last answered as it should, in ms since 1970. Absent: never. */
  answeredAt?: number;
  /** When it last did not. Absent: never. */
  failedAt?: number;
  /** Questions without an answer since the last one that had one. */
  failuresInRow: number;
}

export interface ToolHookOptions {
  url: string;
  secret: string;
  inside: InsideHosts;
  clock: Clock;
  /** Default: 2 s. */
  timeoutMs?: number;
  /** Default: 64. */
  maxConcurrent?: number;
  /** Resolves names to addresses. Default: the system's resolver. */
  lookup?: LookupFunction;
}

/** The operator's own decision about each call, asked over HTTP. */
export class ToolHook {
  readonly #poster: SignedPoster;
  readonly #limit: ReturnType<typeof pLimit>;
  readonly #timeoutMs: number;
  #health: ToolHookHealth = { failuresInRow: 0 };

  constructor(private readonly options: ToolHookOptions) {
    const { inside, clock, timeoutMs = TIMEOUT_MS, lookup } = options;
    this.#timeoutMs = timeoutMs;
    this.#poster = new SignedPoster({ inside, clock, timeoutMs, ...compact({ lookup }) });
    this.#limit = pLimit(options.maxConcurrent ?? MAX_CONCURRENT);
  }

  get health(): ToolHookHealth {
    return this.#health;
  }

  /** Asks once: nothing is tried again. @param stop ends the question. @throws the reason of `stop` alone. */
  async ask(question: HookQuestion, stop: AbortSignal): Promise<HookVerdict> {
    const verdict = await this.#ask(question, stop);
    const now = this.options.clock.now();
    const { failuresInRow } = this.#health;
    this.#health =
      verdict.type === 'answered'
        ? { ...this.#health, answeredAt: now, failuresInRow: 0 }
        : { ...this.#health, failedAt: now, failuresInRow: failuresInRow + 1 };
    return verdict;
  }

  async #ask(question: HookQuestion, stop: AbortSignal): Promise<HookVerdict> {
    const { clock } = this.options;
    const reason = new Error(`gave no answer within ${this.#timeoutMs / 1_000} s`);
    const limit = { ms: this.#timeoutMs, reason, outer: stop };
    try {
      return await withDeadline(clock, limit, (signal) =>
        untilAborted(
          this.#limit(() => this.#post(question, signal)),
          signal,
        ),
      );
    } catch (error) {
      stop.throwIfAborted();
      if (error === reason) return { type: 'failed', reason: reason.message };
      throw error;
    }
  }

  async #post(question: HookQuestion, signal: AbortSignal): Promise<HookVerdict> {
    signal.throwIfAborted();
    const { url, secret, clock } = this.options;
    const id = `${question.turnId}_${question.callId}`;
    const timestamp = new Date(clock.now()).toISOString();
    const body = printJson({ type: 'tool.before', timestamp, data: question });
    const answer = await this.#poster.post({ id, url, body, secrets: [secret] }, signal);
    if (answer.type === 'failed') return { type: 'failed', reason: `failed: ${answer.reason}` };
    const { status, body: bytes, isWhole } = answer;
    if (status !== 200) return { type: 'failed', reason: `answered ${status} instead of 200` };
    if (!isWhole) {
      signal.throwIfAborted();
      return { type: 'failed', reason: 'gave an answer that broke off or is too long' };
    }
    const parsed = parseHookAnswer(bytes.toString('utf8'));
    if ('fault' in parsed) return { type: 'failed', reason: `is not understood: ${parsed.fault}` };
    return { type: 'answered', ...parsed };
  }
}

/** Injects the hook that is configured; null: none. */
export const TOOL_HOOK = Symbol('ToolHook');

type HookConfig = Pick<Config, 'toolHookUrl' | 'toolHookSecret' | 'toolHookPrivateHosts'>;

/** @returns the hook that is configured; null: none. @throws ConfigError for a URL that nothing is sent to. */
export function openToolHook(config: HookConfig, clock: Clock): ToolHook | null {
  const { toolHookUrl: url, toolHookSecret: secret, toolHookPrivateHosts: listed } = config;
  if (url === undefined || secret === undefined) return null;
  const inside = { variable: 'TURNPIKE_TOOL_HOOK_PRIVATE_HOSTS', listed };
  const verdict = judgeUrl(url, inside);
  if (!verdict.ok) throw new ConfigError([`TURNPIKE_TOOL_HOOK_URL ${verdict.problem}`]);
  return new ToolHook({ url, secret, inside, clock });
}

/** The hook's decision about a call. */
interface HookAnswer {
  decision: 'allow' | 'ask' | 'deny';
  /** For the model and for people, on one line. */
  reason?: string;
}

const decisions = ['allow', 'ask', 'deny'] as const;
const MAX_REASON_CHARS = 500;

/** Parses the body of the hook's answer, `{decision, reason?}`. @returns `fault`: what is wrong with it. Pure. */
export function parseHookAnswer(text: string): HookAnswer | { fault: string } {
  const body = parseJson(text);
  if (!isPlainObject(body)) return { fault: 'its answer is no JSON object' };
  const decision = decisions.find((one) => one === body['decision']);
  if (decision === undefined) return { fault: 'its decision is not allow, ask or deny' };
  const { reason } = body;
  if (reason === undefined || reason === null) return { decision };
  if (typeof reason !== 'string') return { fault: 'its reason is no text' };
  const words = storableText(reason).replaceAll(/[\s\p{Cc}]+/gu, ' ');
  const line = cutText(words.trim(), MAX_REASON_CHARS);
  return line === '' ? { decision } : { decision, reason: line };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
