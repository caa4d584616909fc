import { defaultAgentConfig } from '../../../src/governance/decision-tree/agent-config.js';
import type { TriggerFacts, Reading } from '../../../src/governance/notices/trigger.js';

/** Facts for triggers between two steps of a turn in which nothing is due. */
export function someFacts(change: Partial<TriggerFacts> = {}): TriggerFacts {
  return {
    at: 'step',
    step: 1,
    isFirstMessage: false,
    config: defaultAgentConfig,
    warnings: [],
    context: { tokens: 0, window: 200_000 },
    readings: [],
    todos: [],
    stepsSinceTodos: 0,
    toolErrors: 0,
    background: [],
    fired: new Set(),
    ...change,
  };
}

export function someReading(change: Partial<Reading>): Reading {
  return { contextPercent: 0, memoryPercent: 0, diskPercent: 0, ...change };
}
