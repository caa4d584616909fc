import { Injectable, Global, Module } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { turnOutcomes } from '../events/turn-event.js';
import { DeploymentCounts } from './deployment-counts.js';
import { sessionOrigins } from '../storage/shapes/stored-turn.js';

const turnSeconds = [1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600];
const queueSeconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** The buckets of OpenTelemetry's conventions for generative AI. */
const tokenSeconds = Array.from({ length: 14 }, (_, power) => 0.01 * 2 ** power);
const toolSeconds = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** Labels, with values that exist from the start, at zero: a rate needs a value before the first event. */
type Known = Readonly<Record<string, readonly string[]>>;

/**
 * The metrics of a process: their names, labels and buckets, all of which are here. Times are in seconds. No
 * label is an id. `docs/operate/metrics.md` says what each is for.
 */
@Injectable()
export class Metrics {
  readonly registry = new Registry();
  readonly models = new LabelValues(100);

  readonly turnsAccepted = this.#counter('turns_accepted_total', 'Turns that were accepted.', {
    wire: [...sessionOrigins, 'subagent'],
  });
  readonly turnsEnded = this.#counter('turns_ended_total', 'Turns that ended.', {
    outcome: turnOutcomes,
  });
  readonly steps = this.#counter('steps_total', 'Model calls whose reply was kept.', {
    model: [],
    outcome: [],
  });
  readonly tokens = this.#counter('tokens_total', 'Tokens of the replies that were kept.', {
    model: [],
    type: [],
  });
  readonly costUsd = this.#counter('cost_usd_total', 'Dollars of the replies that were kept.', {});
  readonly toolCalls = this.#counter('tool_calls_total', 'Tool calls that ended.', {
    tool: [],
    outcome: [],
  });
  readonly conversationCache = this.#counter(
    'conversation_cache_total',
    'Conversations that turns continued, by whether the worker remembered them.',
    { outcome: ['hit', 'miss'] },
  );
  readonly mcpLogins = this.#counter(
    'mcp_logins_total',
    'Log-ins of people at MCP servers, and refreshes of their tokens.',
    { outcome: ['begun', 'finished', 'failed', 'refreshed', 'refresh_failed'] },
  );
  readonly toolHookQuestions = this.#counter(
    'tool_hook_questions_total',
    'Questions to the tool hook, by its decision.',
    { outcome: ['allow', 'ask', 'deny', 'failed'] },
  );
  readonly providerErrors = this.#counter('provider_errors_total', 'Model calls that failed.', {
    category: [],
  });
  readonly modelFallbacks = this.#counter(
    'model_fallbacks_total',
    'Turns that went on with another model, by that model and why.',
    { model: [], reason: [] },
  );
  readonly cacheMissedTokens = this.#counter(
    'cache_missed_tokens_total',
    'Prompt tokens that were in the provider’s cache and were paid for again, where a call read nothing of it, by why.',
    { cause: [] },
  );
  readonly leaseTakeovers = this.#counter(
    'lease_takeovers_total',
    'Turns that this worker took over from one that stopped.',
    {},
  );
  readonly fencedWrites = this.#counter(
    'fenced_writes_total',
    'Attempts whose writes were refused, as another attempt had the turn.',
    {},
  );
  readonly streamResumes = this.#counter(
    'stream_resumes_total',
    'Times that a reader got earlier events.',
    { source: ['log', 'archive'] },
  );
  readonly sseDrops = this.#counter('sse_drops_total', 'Streams that ended before their turn.', {
    reason: ['client', 'slow', 'error'],
  });

  readonly webhookDeliveries = this.#counter(
    'webhook_deliveries_total',
    'Requests to webhooks, by what came of them.',
    { outcome: ['delivered', 'failed', 'dead'] },
  );

  readonly scheduleRuns = this.#counter(
    'schedule_runs_total',
    'Slots of schedules, by what came of them.',
    { outcome: ['submitted', 'skipped', 'refused', 'missed'] },
  );

  readonly turnsRunning = this.#gauge('turns_running', 'Turns that this process runs.');
  readonly workerSlots = this.#gauge('worker_slots', 'Turns that this process runs at most.');
  readonly sseReaders = this.#gauge('sse_readers', 'Streams that are open.', 'wire');
  readonly databasePool = this.#gauge(
    'db_pool_connections',
    'Connections to the database; waiting: statements without one.',
    'state',
  );
  readonly queueTurns = this.#gauge(
    'queue_turns',
    'Turns of the whole deployment that have not ended.',
    'state',
  );
  readonly queueOldestAge = this.#gauge(
    'queue_oldest_age_seconds',
    'Age of the oldest turn of the whole deployment that waits for a worker.',
  );
  readonly approvalsPending = this.#gauge(
    'approvals_pending',
    'Questions of the whole deployment that wait for a person.',
  );
  readonly scheduleLate = this.#gauge(
    'schedule_late_seconds',
    'Age of the oldest slot of the whole deployment that is due and has no outcome.',
  );
  readonly conversationCacheBytes = this.#gauge(
    'conversation_cache_bytes',
    'Estimated memory of the conversations that this worker remembers.',
  );
  readonly buildInfo = this.#gauge('build_info', 'Always 1.', 'version', 'commit', 'role');

  readonly turnDuration = this.#histogram(
    'turn_duration_seconds',
    'Time from the start of a turn to its end.',
    turnSeconds,
  );
  readonly turnQueue = this.#histogram(
    'turn_queue_seconds',
    'Time from the acceptance of a turn to its start.',
    queueSeconds,
  );
  readonly turnFirstToken = this.#histogram(
    'turn_first_token_seconds',
    'Time from the acceptance of a turn to its first token.',
    tokenSeconds,
  );
  readonly modelFirstToken = this.#histogram(
    'model_first_token_seconds',
    'Time from a model call to its first token.',
    tokenSeconds,
  );
  readonly toolDuration = this.#histogram(
    'tool_duration_seconds',
    'Time that a tool call took.',
    toolSeconds,
  );

  readonly scheduleLag = this.#histogram(
    'schedule_lag_seconds',
    'Time from a slot to its outcome.',
    queueSeconds,
  );

  readonly toolHookDuration = this.#histogram(
    'tool_hook_duration_seconds',
    'Time that the tool hook took.',
    queueSeconds,
  );

  #counter<K extends Known>(name: string, help: string, labels: K): Counter<keyof K & string> {
    const labelNames: (keyof K & string)[] = Object.keys(labels);
    const counter = new Counter({ ...this.#named(name, help), labelNames });
    for (const value of Object.values(labels).flat()) counter.labels(value).inc(0);
    return counter;
  }

  #gauge<L extends string>(name: string, help: string, ...labelNames: L[]): Gauge<L> {
    return new Gauge({ ...this.#named(name, help), labelNames });
  }

  #histogram(name: string, help: string, buckets: number[]): Histogram {
    return new Histogram({ ...this.#named(name, help), buckets });
  }

  #named(name: string, help: string) {
    return { name: `turnpike_${name}`, help, registers: [this.registry] };
  }
}

/** Provides the metrics of the process, and the counts of features among them, to every module. */
@Global()
@Module({ providers: [Metrics, DeploymentCounts], exports: [Metrics, DeploymentCounts] })
export class MetricsModule {}

/** Stands for the values past the limit. */
const OTHER = 'other';

/**
 * Bounds the values of a label: each value is a time series of its own, for as long as the process lives, and
 * some values are chosen by clients or models.
 */
export class LabelValues {
  readonly #known = new Set<string>();

  /** @param most values that are kept apart; later ones are `other`. */
  constructor(private readonly most: number) {}

  of(value: string): string {
    if (this.#known.has(value)) return value;
    if (this.#known.size >= this.most) return OTHER;
    this.#known.add(value);
    return value;
  }
}
