import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';

/** Event names of the harness wire and the fields of their data, for the documentation. */
const harnessEvents: Record<string, string> = {
  'session:init': 'claudeSessionId, model, sessionId, messageId, agent, resumed',
  'chat:delta': 'text, step',
  'thinking:delta': 'text, step',
  source: 'step, type, title, url?, citedText?, location?',
  'tool:request': 'toolUseId, name, step',
  'tool:args': 'toolUseId, json',
  'tool:start': 'toolUseId, name, input',
  'tool:progress': 'toolUseId, note, elapsedMs',
  'tool:result': 'name, ok, output, toolUseId, status, durationMs',
  'step:start': 'step',
  'step:discard': 'step: forget what this step streamed',
  'step:end': 'step, stopReason, usage',
  'turn:queued': 'position',
  'turn:recovering': 'reason, attempt',
  'approval:request': 'toolUseId, approvalId, name, input, kind, reason, expiresAt, onTimeout',
  'approval:resolve': 'toolUseId, approvalId, decision, by, message?, input?',
  'message:joined': 'messageId, afterStep, text',
  'subagent:start': 'toolUseId, childTurnId, agent',
  'subagent:…': 'childTurnId, parentToolUseId, and what the subagent’s own frame of that name has',
  'subagent:end': 'toolUseId, childTurnId, outcome, usage',
  'attachment:warning': 'name, reason',
  'system:notice': 'kind, level, text, metadata?, seenByModel',
  'chat:complete': 'text',
  'session:complete': 'nothing',
  'turn:error': 'phase, errorType, message, status, severity, fatal, details?',
  'turn:end': 'outcome, exitCode, reason, usage, durationMs',
  'process:exit':
    'exitCode, interrupted?, error?, errorType?, status?, severity?, fatal?, errorDetails?; always last',
};

/** Documents the stream of a route. */
export function ApiHarnessStream() {
  const rows = Object.entries(harnessEvents).map(([name, data]) => `- \`${name}\`: ${data}`);
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
