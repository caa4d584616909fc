import { agentConfigFields } from '../governance/decision-tree/agent-config.js';
import type { AgentConfig } from '../storage/shapes/stored-limits.js';
import type { AgentState } from '../governance/decision-tree/agent-state.js';
import type { Continuation } from '../governance/decision-tree/decision-tree.js';
import { reservedReasons } from '../governance/limits/termination-reasons.js';
import { compact } from '../platform/compact.js';
import { isPlainObject } from '../platform/json.js';

/** Checks of values that extensions return: a fault is then the extension's, by name. */

const ownReason = /^[a-z][a-z0-9_]{0,63}$/;
const longestExplanation = 500;

/** Checks and freezes a tree's limits. @throws Error with the fault. */
export function checkConfig(given: unknown): Readonly<AgentConfig> {
  if (typeof given !== 'object' || given === null) throw new Error('it gave no config');
  const config = Object.fromEntries(
    agentConfigFields.map(({ name }) => {
      const value: unknown = (given as Record<string, unknown>)[name];
      if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) {
        throw new Error(`${name} must be a whole number of 1 or more, not ${String(value)}`);
      }
      return [name, value];
    }),
  );
  return Object.freeze(config as Record<keyof AgentConfig, number>);
}

/**
 * Checks a tree's decision on whether the loop goes on. Its reason is the tree's own, or a reason of the
 * server that is true of the state.
 *
 * @throws Error with the fault.
 */
export function checkContinuation(given: unknown, state: AgentState): Continuation {
  if (!isPlainObject(given) || typeof given['shouldContinue'] !== 'boolean') {
    throw new Error('it must give {shouldContinue, reason}');
  }
  if (given['shouldContinue']) return { shouldContinue: true, reason: 'continue' };
  const { reason, explanation } = given;
  if (typeof reason !== 'string' || !ownReason.test(reason)) {
    throw new Error(`a reason has 1 to 64 of a-z 0-9 _, not ${JSON.stringify(reason)}`);
  }
  if (reservedReasons.has(reason)) {
    throw new Error(`the reason ${reason} is the server's: choose another word`);
  }
  if (reason === 'completed' && !state.hasFinished) {
    throw new Error("the turn is not completed: give a reason of the tree's own");
  }
  return {
    shouldContinue: false,
    reason,
    ...compact({
      explanation: explanation === undefined ? undefined : checkExplanation(explanation),
    }),
  };
}

function checkExplanation(given: unknown): string {
  if (typeof given === 'string' && given.trim() !== '' && given.length <= longestExplanation) {
    return given.trim().replaceAll(unstorable, '\uFFFD');
  }
  throw new Error(`an explanation is text of 1 to ${longestExplanation} characters`);
}

/** NUL and lone surrogates, which no column can store. */
const unstorable = /[\0\p{Cs}]/gu;

export function isPromise(value: unknown): value is Promise<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    'then' in value &&
    typeof value.then === 'function'
  );
}
