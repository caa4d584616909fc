import * as z from 'zod/mini';
import { agentConfigFields } from '../governance/decision-tree/agent-config.js';
import type { AgentConfig } from '../storage/shapes/stored-limits.js';
import type { AgentState } from '../governance/decision-tree/agent-state.js';
import type { Continuation } from '../governance/decision-tree/decision-tree.js';
import { reservedReasons } from '../governance/limits/termination-reasons.js';
import { compact } from '../platform/compact.js';
import { checkedBy, filledText, onWrongType, wholeNumber } from '../parsing/shapes.js';
import { expectShape } from './expect-shape.js';

/** Checks of values that extensions return: a fault is then the extension's, by name. */

const longestExplanation = 500;

/** NUL and lone surrogates, which no column can store. */
const unstorable = /[\0\p{Cs}]/gu;

const atLeastOne = wholeNumber(1, Number.MAX_SAFE_INTEGER, 'must be a whole number of 1 or more');

const configShape = z.object(
  Object.fromEntries(agentConfigFields.map(({ name }) => [name, atLeastOne])),
  { error: onWrongType('must be an object') },
);

const continuationShape = z.discriminatedUnion(
  'shouldContinue',
  [
    z.object({ shouldContinue: z.literal(true) }),
    z.object({
      shouldContinue: z.literal(false),
      reason: z.string().check(
        z.regex(/^[a-z][a-z0-9_]{0,63}$/, 'must have 1 to 64 of a-z 0-9 _'),
        checkedBy((reason) =>
          reservedReasons.has(reason) ? "is the server's: choose another word" : undefined,
        ),
      ),
      explanation: z.optional(
        filledText().check(
          z.maxLength(longestExplanation, `must have at most ${longestExplanation} characters`),
        ),
      ),
    }),
  ],
  {
    error: (issue) =>
      onWrongType('must be {shouldContinue, reason}')(issue) ?? 'must be true or false',
  },
);

/** Checks and freezes a tree's limits. @throws Error with the fault. */
export function checkConfig(given: unknown): Readonly<AgentConfig> {
  const config = expectShape(configShape, given, 'the config');
  // The shape has all fields of a config.
  return Object.freeze(config as Record<keyof AgentConfig, number>);
}

/**
 * Checks a tree's decision on whether the loop goes on. Its reason is the tree's own, or a reason of the
 * server that is true of the state.
 *
 * @throws Error with the fault.
 */
export function checkContinuation(given: unknown, state: AgentState): Continuation {
  const decision = expectShape(continuationShape, given, 'the decision');
  if (decision.shouldContinue) return { shouldContinue: true, reason: 'continue' };
  const { reason, explanation } = decision;
  if (reason === 'completed' && !state.hasFinished) {
    throw new Error("the turn is not completed: give a reason of the tree's own");
  }
  return {
    shouldContinue: false,
    reason,
    ...compact({ explanation: explanation?.replaceAll(unstorable, '\uFFFD') }),
  };
}

export function isPromise(value: unknown): value is Promise<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    'then' in value &&
    typeof value.then === 'function'
  );
}
