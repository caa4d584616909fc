import type { TurnEvent } from '../../events/turn-event.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { compact } from '../../platform/compact.js';
import type { Logger } from '../../platform/logger.js';
import type { Usage } from '../../storage/shapes/stored-step.js';
import type { OpenSpan, SpanStart } from '../../telemetry/tracing.js';
import { traceIdOf } from '../../telemetry/span-names.js';
import type { Claim } from '../state/attempt.js';
import { MCP_PREFIX } from '../../tools/mcp/tool-names.js';
import type { StoredTrace } from '../../storage/shapes/stored-turn.js';
import type { TurnRow } from '../state/turn-row.js';

/** A logger that puts the ids of a claim on every line, and the trace of its attempt or of its acceptance. */
export function turnLogger(logger: Logger, claim: Claim, span?: OpenSpan): Logger {
  const { id: turnId, sessionId, attempt, request } = claim;
  const { requestId } = request;
  const trace = span?.trace ?? acceptedIn(claim);
  const traceId = trace && traceIdOf(trace);
  return logger.child({ turnId, sessionId, attempt, ...compact({ requestId, traceId }) });
}

type Traced = Pick<Claim, 'traceparent' | 'tracestate' | 'lastTraceparent' | 'attempt'>;

/**
 * The place of an attempt's spans. The first is below what accepted the turn. A later one may begin hours
 * after that, when a process died or a person answered: it begins a trace of its own, linked to what accepted
 * the turn and to the attempt before. Pure.
 */
export function originOf(claim: Traced): Required<Pick<SpanStart, 'parent' | 'links'>> {
  const accepted = acceptedIn(claim);
  if (claim.attempt === 1) return { parent: accepted ?? 'none', links: [] };
  const last = claim.lastTraceparent;
  const before = last === null ? [] : [{ traceparent: last }];
  return { parent: 'none', links: [...(accepted === undefined ? [] : [accepted]), ...before] };
}

/** The span that a turn was accepted in. */
function acceptedIn({
  traceparent,
  tracestate,
}: Pick<Claim, 'traceparent' | 'tracestate'>): StoredTrace | undefined {
  if (traceparent === null) return undefined;
  return { traceparent, ...compact({ tracestate: tracestate ?? undefined }) };
}

export interface MeteredAttempt {
  /** Its model may change with a fallback. */
  turn: Pick<TurnRow, 'createdAt' | 'options'>;
  /** Whether the server has a tool of that name, built in or an extension's. */
  isServerTool(name: string): boolean;
}

/** Counts what an attempt archived: an event is archived once, whatever dies before or after. */
export function countEvents(
  metrics: Metrics,
  counted: MeteredAttempt,
  events: readonly TurnEvent[],
): void {
  for (const event of events) countEvent(metrics, counted, event);
}

/** Events that are not named here have no metric. */
function countEvent(metrics: Metrics, counted: MeteredAttempt, event: TurnEvent): void {
  if (event.type === 'turn.started') {
    metrics.turnQueue.observe((Date.parse(event.at) - counted.turn.createdAt.getTime()) / 1_000);
  } else if (event.type === 'turn.recovering') {
    metrics.leaseTakeovers.inc();
  } else if (event.type === 'subagent.started') {
    metrics.turnsAccepted.inc({ wire: 'subagent' });
  } else if (event.type === 'step.ended') {
    const model = metrics.models.of(counted.turn.options.options.model);
    metrics.steps.inc({ model, outcome: event.stopReason });
    countUsage(metrics, model, event.usage);
  } else if (event.type === 'tool.ended') {
    metrics.toolCalls.inc({ tool: toolLabel(event.name, counted), outcome: event.status });
    // Of calls that did not run, the duration is 0.
    if (event.durationMs > 0) metrics.toolDuration.observe(event.durationMs / 1_000);
  } else if (event.type === 'turn.ended') {
    metrics.turnsEnded.inc({ outcome: event.outcome });
    metrics.turnDuration.observe(event.durationMs / 1_000);
  }
}

function countUsage({ tokens, costUsd }: Metrics, model: string, usage: Usage): void {
  tokens.inc({ model, type: 'input' }, usage.inputTokens);
  tokens.inc({ model, type: 'output' }, usage.outputTokens);
  tokens.inc({ model, type: 'cache_read' }, usage.cacheReadTokens);
  tokens.inc({ model, type: 'cache_write' }, usage.cacheWriteTokens);
  costUsd.inc(usage.costUsd ?? 0);
}

/** `other` stands for tools of the client and of the provider, and for names that the model made up. */
function toolLabel(name: string, { isServerTool }: MeteredAttempt): string {
  if (isServerTool(name)) return name;
  return name.startsWith(MCP_PREFIX) ? 'mcp' : 'other';
}
