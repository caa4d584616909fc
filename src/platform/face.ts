/** Parts without a domain: JSON, ids, time, waiting, texts, the log. For wires and features. */

export { assertNever } from './assert-never.js';
export { retry, type RetryDelays, withDeadline, withTimeout } from './async/deadlines.js';
export { Poller } from './async/poller.js';
export { type Clock, CLOCK, isoTime } from './clock.js';
export { compact } from './compact.js';
export { unlessGone } from './error-code.js';
export { parseJson, plainNumbers, printExact, printJson } from './exact-json.js';
export { closing, FolderHandle } from './files/folder-handle.js';
export { isId, newId, newTimeId } from './ids.js';
export { canonicalJson, isLongJson, isPlainObject, isSameJson, type JsonObject } from './json.js';
export { type Logger, LOGGER } from './logger.js';
export { type Fault, nameOf, parseValue, show } from './parsing/parse-value.js';
export { checkedBy, wholeNumber } from './parsing/shapes.js';
export { BackgroundTasks } from './process/background-tasks.js';
export { packageVersion } from './process/package-root.js';
export { rechunk } from './rechunk.js';
export { retryAdvice, type RetryAdvice, retryAfterMs } from './retry-advice.js';
export { cutText } from './text/cut-text.js';
export { isBase64 } from './text/is-base64.js';
export { type JsonLimits, JsonMeter } from './text/json-text.js';
export { LineSplitter } from './text/line-splitter.js';
