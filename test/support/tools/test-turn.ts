import type { ToolContext } from '../../../src/tools/tool.js';

/** The turn of tools that are tested without one. */
export const testTurn: ToolContext['turn'] = {
  principal: 'ada',
  sessionId: 'sess_1',
  turnId: 'turn_1',
  agent: 'WORKING_ITEMS',
};
