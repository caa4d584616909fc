import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiAcceptedResponse, ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import type { Request } from 'express';
import {
  ApiStream,
  dataOf,
  frameOf,
  harnessFrames,
  namedFrames,
  type Schema,
} from '../../http/face.js';
import { compact } from '../../platform/face.js';
import { OneTurnDto } from '../../turn/face.js';
import { TurnResultDto } from './turn.dto.js';

/** Meanings that the names of the fields leave open. */
const remarks: Readonly<Record<string, string>> = {
  'step:discard': 'forget what this step streamed',
  'turn:parked': 'nothing runs, it waits for these answers',
  'process:exit': 'always last',
};

const names = Object.keys(harnessFrames);

/** Ids that a frame of a subagent has beside those of its own. */
const ofSubagent = {
  type: 'object',
  required: ['childTurnId', 'parentToolUseId'],
  properties: { childTurnId: { type: 'string' }, parentToolUseId: { type: 'string' } },
};

/** Documents the stream of a route. @param others answers of other types, and when they come. */
export function ApiHarnessStream(
  others: { content?: Record<string, { schema: Schema }>; when?: string } = {},
) {
  const rows = [
    ...names.map(describeFrame),
    '- `subagent:…`: childTurnId, parentToolUseId, and what the subagent’s own frame of that name has',
  ];
  return ApiStream({
    wire: 'harness',
    description: [
      'Server-Sent Events. Every frame has `id: <turnId>:<attempt>.<seq>`; send the last one back as `Last-Event-ID` to go on after it. Data is one line of JSON with these fields:',
      '',
      ...rows,
      ...(others.when === undefined ? [] : ['', others.when]),
    ].join('\n'),
    frames: [
      ...namedFrames('HarnessFrames'),
      ...names.map((name) =>
        frameOf({ allOf: [ofSubagent, dataOf('HarnessFrames', name)] }, `subagent:${name}`),
      ),
    ],
    ...compact({ others: others.content }),
  });
}

/** Documents the stream of a route that also answers in one piece. */
export function ApiTurnAnswers() {
  return applyDecorators(
    ApiExtraModels(TurnResultDto),
    ApiHarnessStream({
      content: { 'application/json': { schema: { $ref: getSchemaPath(TurnResultDto) } } },
      when: 'Where `Accept` admits no event stream: the result of the turn as JSON, once it has ended.',
    }),
    ApiAcceptedResponse({
      type: OneTurnDto,
      description: 'With `Prefer: respond-async`. `Location` is where its events are.',
    }),
  );
}

function describeFrame(name: string): string {
  const { properties = {}, required = [] } = harnessFrames[name] ?? {};
  const fields = Object.keys(properties).map((field) =>
    required.includes(field) ? field : `${field}?`,
  );
  const remark = remarks[name];
  const data = fields.length === 0 ? 'nothing' : fields.join(', ');
  return `- \`${name}\`: ${data}${remark === undefined ? '' : `; ${remark}`}`;
}

/**
 * `stream`: the turn's events. `result`: the turn's end, once it has come. `at once`: that the turn
 * was taken.
 */
export type AnswerKind = 'stream' | 'result' | 'at once';

/** Injects the answer that a request for a turn asks for. */
export const RequestedAnswer = createParamDecorator(
  (_data: unknown, context: ExecutionContext): AnswerKind =>
    chooseAnswer(context.switchToHttp().getRequest<Request>()),
);

/** A client that takes anything gets the stream, as does one that says nothing. */
function chooseAnswer(request: Request): AnswerKind {
  const preferences = (request.get('prefer') ?? '').split(',').map((one) => one.trim());
  if (preferences.some((one) => /^respond-async\b/i.test(one))) return 'at once';
  return request.accepts('text/event-stream') === false ? 'result' : 'stream';
}
