import type { DynamicToolUIPart, UIMessage } from 'ai';

type Part = UIMessage['parts'][number];

/** What the server says of an answer. */
interface AnswerMetadata {
  outcome?: string;
  /** Ids of parts that are void: their step ran again after a crash. */
  discarded?: string[];
}

interface MessageProps {
  message: UIMessage;
  onAnswer(approvalId: string, approved: boolean): void;
}

export function Message({ message: { role, parts, metadata }, onAnswer }: MessageProps) {
  const { outcome, discarded = [] } = (metadata ?? {}) as AnswerMetadata;
  const shown = parts.filter((part) => !discarded.includes(idOf(part)));
  return (
    <article aria-label={role}>
      {shown.map((part, index) => {
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
          <button onClick={() => onAnswer(part.approval.id, true)}>Approve</button>
          <button onClick={() => onAnswer(part.approval.id, false)}>Deny</button>
        </>
      )}
      {output !== undefined && <pre>{output}</pre>}
    </section>
  );
}

/** The id under which the metadata names a part. */
function idOf(part: Part): string {
  if ('toolCallId' in part) return part.toolCallId;
  if ('sourceId' in part) return part.sourceId;
  const own = 'providerMetadata' in part ? part.providerMetadata?.['turnpike']?.['id'] : undefined;
  return typeof own === 'string' ? own : '';
}
