import { memo } from 'react';
import type { ChatMessage, ChatPart, TurnpikeChat } from 'turnpike/client/react';
import { ApprovalCard } from './approval-card.tsx';
import { Markdown } from './markdown.tsx';
import { ToolLine } from './tool-line.tsx';

interface MessageProps {
  message: ChatMessage;
  onAnswer: TurnpikeChat['answer'];
}

/** A message of the person, or an answer with all that happened in it. */
export const Message = memo(function Message({ message, onAnswer }: MessageProps) {
  const { role, parts, state } = message;
  if (role === 'user') {
    return (
      <article aria-label="You" className="user">
        {parts.map((part, index) => (
          <UserPart key={index} part={part} />
        ))}
      </article>
    );
  }
  const isOpen = state === 'running' || state === 'recovering' || state === 'queued';
  return (
    <article aria-label="Answer" aria-busy={isOpen} className={`answer ${state}`}>
      {parts.map((part, index) => (
        <AnswerPart key={index} part={part} onAnswer={onAnswer} />
      ))}
      <MessageEnd message={message} />
    </article>
  );
});

function UserPart({ part }: { part: ChatPart }) {
  if (part.type === 'file') return <span className="file">{part.name}</span>;
  return part.type === 'tool' ? null : <p>{part.text}</p>;
}

function AnswerPart({ part, onAnswer }: Pick<MessageProps, 'onAnswer'> & { part: ChatPart }) {
  switch (part.type) {
    case 'text':
      return <Markdown text={part.text} />;
    case 'thinking':
      return part.text === '' ? null : (
        <details className="thinking">
          <summary>Thought</summary>
          <p>{part.text}</p>
        </details>
      );
    case 'steered':
      return <p className="steered">{part.text}</p>;
    case 'notice':
      return <p className="notice">{part.text}</p>;
    case 'file':
      return <span className="file">{part.name}</span>;
    case 'tool':
      return (
        <>
          <ToolLine call={part} />
          {part.approval !== undefined && (
            <ApprovalCard call={part} approval={part.approval} onAnswer={onAnswer} />
          )}
        </>
      );
  }
}

/** What is to be said at the end of an answer: that it comes, or why it ended early. */
function MessageEnd({ message: { state, parts, error, end } }: { message: ChatMessage }) {
  if (state === 'queued') return <p className="notice">Waits for its turn …</p>;
  if (state === 'recovering')
    return <p className="notice">Interrupted. It goes on in a moment …</p>;
  if (state === 'running') {
    const isSaying = parts.at(-1)?.type === 'text';
    return isSaying ? null : <span className="dots" aria-label="Working" role="img" />;
  }
  if (state !== 'cut') return null;
  if (error !== undefined) return <p className="fault">{error.message}</p>;
  return (
    <p className="notice">{end?.outcome === 'interrupted' ? 'Stopped.' : 'It ended early.'}</p>
  );
}
