'use client';

import { useChat } from '@ai-sdk/react';
import { lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';
import { useEffect, useState, type FormEvent } from 'react';
import { TurnpikeChatTransport, type ChatHistory } from 'turnpike/client/ai-sdk';

/** @param usesTokens whether the server has keys: the page gets tokens from its own backend. */
export function Chat({ id, usesTokens }: { id: string; usesTokens: boolean }) {
  const [transport] = useState(
    () =>
      new TurnpikeChatTransport({
        url: '/turnpike',
        aiSdk: 7,
        ...(usesTokens && { token: () => fetch('/turnpike-token', { method: 'POST' }) }),
      }),
  );
  const [history, setHistory] = useState<ChatHistory>();
  const [fault, setFault] = useState('');
  useEffect(() => {
    transport.history(id).then(setHistory, (error: unknown) => setFault(String(error)));
  }, [id, transport]);
  if (fault !== '') return <p role="alert">{fault}</p>;
  if (history === undefined) return <p>Loading …</p>;
  return <Conversation id={id} transport={transport} history={history} />;
}

function Conversation({
  id,
  transport,
  history,
}: {
  id: string;
  transport: TurnpikeChatTransport;
  history: ChatHistory;
}) {
  const { messages, sendMessage, addToolApprovalResponse, status, error } = useChat({
    id,
    transport,
    messages: history.messages,
    // A page that is loaded in the middle of an answer reads it on.
    resume: history.activeTurnId !== null,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const [text, setText] = useState('');
  const send = (event: FormEvent): void => {
    event.preventDefault();
    void sendMessage({ text });
    setText('');
  };
  return (
    <main>
      {messages.map((message) => (
        <article key={message.id} aria-label={message.role === 'user' ? 'You' : 'Answer'}>
          {message.parts.map((part, index) => {
            if (part.type === 'text') return <p key={index}>{part.text}</p>;
            if (part.type !== 'dynamic-tool') return null;
            if (part.state !== 'approval-requested') return <p key={index}>{part.toolName}</p>;
            const answer = (approved: boolean) => (): void =>
              void addToolApprovalResponse({ id: part.approval.id, approved });
            return (
              <fieldset key={index}>
                <legend>Allow {part.toolName}?</legend>
                <pre>{JSON.stringify(part.input, null, 2)}</pre>
                <button onClick={answer(true)}>Allow</button>{' '}
                <button onClick={answer(false)}>Deny</button>
              </fieldset>
            );
          })}
        </article>
      ))}
      {error !== undefined && <p role="alert">{error.message}</p>}
      <form onSubmit={send}>
        <input aria-label="Message" value={text} onChange={({ target }) => setText(target.value)} />{' '}
        <button disabled={status !== 'ready' || text.trim() === ''}>Send</button>{' '}
        {/* `stop` of useChat would close the stream, and the turn would go on. */}
        {status !== 'ready' && status !== 'error' && (
          <button type="button" onClick={() => void transport.stop(id)}>
            Stop
          </button>
        )}
      </form>
    </main>
  );
}
