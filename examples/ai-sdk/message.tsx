import type { DynamicToolUIPart, UIMessage } from 'ai';
import type { ChatCall, TurnpikeChat } from 'turnpike/client/react';
import { ApprovalCard } from '../../packages/create-turnpike/template/page/parts/approval-card.tsx';
import { Markdown } from '../../packages/create-turnpike/template/page/parts/markdown.tsx';
import { ToolLine } from '../../packages/create-turnpike/template/page/parts/tool-line.tsx';

/** What the server says of an answer. */
interface AnswerMetadata {
  outcome?: string;
}

interface MessageProps {
  message: UIMessage;
  onAnswer: TurnpikeChat['answer'];
}

export function Message({ message: { role, parts, metadata }, onAnswer }: MessageProps) {
  const { outcome } = (metadata ?? {}) as AnswerMetadata;
  const isOwn = role === 'user';
  return (
    <article aria-label={isOwn ? 'You' : 'Answer'} className={isOwn ? 'user' : 'answer'}>
      {parts.map((part, index) => {
        if (part.type === 'text') {
          return isOwn ? <p key={index}>{part.text}</p> : <Markdown key={index} text={part.text} />;
        }
        if (part.type === 'dynamic-tool') {
          return <ToolCall key={part.toolCallId} part={part} onAnswer={onAnswer} />;
        }
        return null;
      })}
      {!isOwn && outcome !== undefined && outcome !== 'completed' && (
        <p className="notice">{outcome}</p>
      )}
    </article>
  );
}

/** What the parts call the states of a call. */
const statuses: Record<DynamicToolUIPart['state'], ChatCall['status']> = {
  'input-streaming': 'requested',
  'input-available': 'running',
  'approval-requested': 'waiting',
  'approval-responded': 'running',
  'output-available': 'success',
  'output-error': 'error',
  'output-denied': 'denied',
};

function ToolCall({
  part,
  onAnswer,
}: Pick<MessageProps, 'onAnswer'> & { part: DynamicToolUIPart }) {
  const { toolName: name, toolCallId: callId, input, state } = part;
  const output = 'output' in part && typeof part.output === 'string' ? part.output : null;
  const call: ChatCall = { type: 'tool', callId, name, input, status: statuses[state], output };
  return (
    <>
      <ToolLine call={call} />
      {state === 'approval-requested' && (
        <ApprovalCard
          call={call}
          approval={{
            approvalId: part.approval.id,
            kind: 'tool',
            reason: part.approval.requestReason ?? '',
          }}
          onAnswer={onAnswer}
          hasAlways={false}
        />
      )}
    </>
  );
}
