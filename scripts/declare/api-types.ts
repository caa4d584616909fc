/** Types that the API's document has schemas of, for `scripts/describe-types.mjs`. */
export type { TurnEvent } from '../../src/events/turn-event.js';
export type { EffectivePreference } from '../../src/options/effective-preferences.js';
export type { JsonObject } from '../../src/platform/json.js';
export type { Price } from '../../src/storage/shapes/stored-options.js';
export type {
  OptionProblem,
  OptionProvenance,
  ResolvedOptions,
} from '../../src/storage/shapes/stored-options.js';
export type { PermissionRules, SubagentDecision } from '../../src/storage/shapes/stored-options.js';
export type { TurnFailure } from '../../src/storage/shapes/stored-turn.js';
export type { AgUiEvent } from '../../src/wires/ag-ui/dialect/ag-ui-frames.js';
export type { AiSdkChunk } from '../../src/wires/ai-sdk/dialect/ai-sdk-frames.js';
export type { HarnessFrames } from '../../src/wires/harness/dialect/harness-frames.js';
export type { ResponsesEvent } from '../../src/wires/responses/dialect/response-frames.js';
export type { ResponseObject } from '../../src/wires/responses/dialect/response-frames.js';
export type { HolodeckFrames } from '../../src/wires/named-agents/dialect/agent-frames.js';
export type { OracleChunk } from '../../src/wires/oracle/dialect/oracle-frames.js';
