import { applyDecorators } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiExtraModels,
  ApiResponse,
  getSchemaPath,
  type ApiResponseSchemaHost,
} from '@nestjs/swagger';
import { harnessFields, type HarnessFrameName } from './dialect/harness-frames.js';
import { OneTurnDto } from './turn-record.dto.js';
import { TurnResultDto } from './turn.dto.js';

type ContentObject = Record<string, Pick<ApiResponseSchemaHost, 'schema'>>;

/** Meanings that the names of the fields leave open. */
const remarks: Partial<Record<HarnessFrameName, string>> = {
  'step:discard': 'forget what this step streamed',
  'turn:parked': 'nothing runs, it waits for these answers',
  'process:exit': 'always last',
};

/** Documents the stream of a route. @param others answers of other types, and when they come. */
export function ApiHarnessStream(others: { content?: ContentObject; when?: string } = {}) {
  const names = Object.keys(harnessFields) as HarnessFrameName[];
  const rows = [
    ...names.map(describeFrame),
    '- `subagent:…`: childTurnId, parentToolUseId, and what the subagent’s own frame of that name has',
  ];
  return applyDecorators(
    ApiResponse({
      status: 200,
      description: [
        'Server-Sent Events. Every frame has `id: <turnId>:<attempt>.<seq>`; send the last one back as `Last-Event-ID` to go on after it. Data is one line of JSON with these fields:',
        '',
        ...rows,
        ...(others.when === undefined ? [] : ['', others.when]),
      ].join('\n'),
      content: { 'text/event-stream': { schema: { type: 'string' } }, ...others.content },
    }),
  );
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

function describeFrame(name: HarnessFrameName): string {
  const fields = Object.entries(harnessFields[name]).map(([field, presence]) =>
    presence === 'sometimes' ? `${field}?` : field,
  );
  const remark = remarks[name];
  const data = fields.length === 0 ? 'nothing' : fields.join(', ');
  return `- \`${name}\`: ${data}${remark === undefined ? '' : `; ${remark}`}`;
}
