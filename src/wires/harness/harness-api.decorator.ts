import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { harnessFields, type HarnessFrameName } from './dialect/harness-frames.js';

/** Meanings that the names of the fields leave open. */
const remarks: Partial<Record<HarnessFrameName, string>> = {
  'step:discard': 'forget what this step streamed',
  'turn:parked': 'nothing runs, it waits for these answers',
  'process:exit': 'always last',
};

/** Documents the stream of a route. */
export function ApiHarnessStream() {
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
      ].join('\n'),
      content: { 'text/event-stream': { schema: { type: 'string' } } },
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
