/** The types of events as clients get them, for `scripts/describe-streams.mjs`. */
export type { TurnEvent } from '../../src/events/turn-event.js';
export type { AgUiEvent } from '../../src/wires/ag-ui/dialect/ag-ui-event.js';
export type { AiSdkChunk } from '../../src/wires/ai-sdk/dialect/ai-sdk-chunk.js';
export type { HarnessFrames } from '../../src/wires/harness/dialect/harness-frames.js';
export type { HolodeckFrames } from '../../src/wires/named-agents/dialect/holodeck-event.js';
export type { OracleChunk } from '../../src/wires/oracle/dialect/oracle-chunk.js';
