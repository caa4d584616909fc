import type { DynamicToolUIPart, UIMessage } from 'ai';

/** What the server says of an answer. */
interface AnswerMetadata {
  outcome?: string;
}

interface MessageProps {
  message: UIMessage;
  onAnswer(approvalId: string, approved: boolean): void;
}

export function Message({ message: { role, parts, metadata }, onAnswer }: MessageProps) {
  const { outcome } = (metadata ?? {}) as AnswerMetadata;
  return (
    <article aria-label={role}>
      {parts.map((part, index) => {
        if (part.type === 'text') return <p key={index}>{part.text}</p>;
        if (part.type === 'dynamic-tool') {
          return <ToolCall key={part.toolCallId} part={part} onAnswer={onAnswer} />;
        }
        return null;
      })}
      {role === 'assistant' && outcome !== undefined && <footer>{outcome}</footer>}
    </article>
  );
}

function ToolCall({
  part,
  onAnswer,
}: Pick<MessageProps, 'onAnswer'> & { part: DynamicToolUIPart }) {
  const { toolName, input, state } = part;
  const output = 'output' in part && typeof part.output === 'string' ? part.output : undefined;
  return (
    <section aria-label={toolName}>
      <code>
        {toolName} {JSON.stringify(input)}
      </code>{' '}
      <em>{state}</em>
      {state === 'approval-requested' && (
        <>
          <span>{part.approval.requestReason} </span>
          <button onClick={() => onAnswer(part.approval.id, true)}>Approve</button>
          <button onClick={() => onAnswer(part.approval.id, false)}>Deny</button>
        </>
      )}
      {output !== undefined && <pre>{output}</pre>}
    </section>
  );
}
