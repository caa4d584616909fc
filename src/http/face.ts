/** What controllers are made of: fields and their rules, errors, pages, bodies, streams; signed requests to others. For wires and features. */

export { BrowserPages } from './browser-pages.js';
export {
  ApiErrors,
  envelopeShape,
  ErrorsAs,
  type ErrorShape,
  narrowed,
  type Schema,
  toPublicError,
} from './errors/error-shape.js';
export { ApiCorrelationId, RetryAdviceDto, ValidationProblemDto } from './errors/error.dto.js';
export { listedFaults, listedIn } from './errors/fastapi-faults.js';
export {
  BoundedText,
  CharacterCount,
  EmptyIsAbsent,
  fieldsOf,
  Flag,
  ListOf,
  MayBeAbsent,
  MayBeNull,
  mustBe,
  OneOf,
  OptionalId,
  OptionalText,
  OptionalTexts,
  RequiredText,
  Rule,
  says,
  WholeNumber,
} from './fields/field-rules.decorator.js';
export { NumberFilter, TextFilter, TimeFilter } from './fields/filters.decorator.js';
export {
  anyJson,
  jsonObject,
  jsonObjects,
  listOf,
  nullableTime,
  nullableWhole,
  schemaOf,
  time,
  whole,
} from './fields/json-schemas.js';
export {
  ApprovalIdDto,
  DeliveryIdDto,
  McpLoginIdDto,
  SessionIdDto,
  TurnIdDto,
  WebhookIdDto,
} from './id-params.dto.js';
export { judgeUrl, webhookHosts } from './outgoing/judge-url.js';
export {
  newWebhookSecret,
  SignedPoster,
  type SignedPosterOptions,
} from './outgoing/signed-poster.js';
export { cutPage, loadPage } from './paging/load-page.js';
export {
  AfterQueryDto,
  badCursor,
  cursorOf,
  PageDto,
  PageLimit,
  PageQueryDto,
  PageToken,
} from './paging/page-query.dto.js';
export { BodyLimit, exactFields, RequestBody, SentBody } from './request-body.js';
export { ApiOptionalHeader, parseIdempotencyKey } from './request-headers.js';
export { noteError } from './request-record.js';
export { RequestForm, takeRequest } from './request.pipe.js';
export {
  ApiStream,
  dataOf,
  frameOf,
  harnessFrames,
  namedFrames,
  textFrame,
} from './streams/api-stream.decorator.js';
export { FrameStream, streamFrames, streamTexts, WholeAnswer } from './streams/frame-batch.js';
export { OpenReaders } from './streams/open-readers.js';
export { Streams } from './streams/stream.interceptor.js';
export { writeLines } from './streams/write-lines.js';
export { UsageDto } from './usage.dto.js';
