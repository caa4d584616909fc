/** The view of a turn that dialects read, and the frames that they write. For wires and features. */

export {
  type AnswerFold,
  applyByType,
  type ByType,
  type Dialect,
  formatFrame,
  type Frame,
} from './dialect.js';
export { followTurn } from './follow-turn.js';
export { followOutput, type OutputProgress, type PartialOutput } from './output-progress.js';
export { openSegment } from './segment.js';
export { TurnEncoder } from './turn-encoder.js';
export {
  type Announcement,
  authorOf,
  isRunning,
  type OpenCall,
  type Owner,
  type Part,
  type Question,
  type Segment,
  sentSoFar,
  startView,
  type TurnChange,
  type TurnView,
} from './turn-view.js';
