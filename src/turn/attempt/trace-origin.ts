import { compact } from '../../platform/compact.js';
import type { StoredTrace } from '../../storage/shapes/stored-turn.js';
import type { SpanStart } from '../../tracing/tracing.js';
import type { Claim } from '../state/attempt.js';

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
export function acceptedIn({
  traceparent,
  tracestate,
}: Pick<Claim, 'traceparent' | 'tracestate'>): StoredTrace | undefined {
  if (traceparent === null) return undefined;
  return { traceparent, ...compact({ tracestate: tracestate ?? undefined }) };
}
