import { useState, type FormEvent } from 'react';
import { useChat } from '@ai-sdk/react';
import { lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';
import type { ChatHistory, TurnpikeChatTransport } from 'turnpike/client/ai-sdk';
import { Message } from './message.js';

interface ChatProps {
  id: string;
  transport: TurnpikeChatTransport;
  history: ChatHistory;
}

/** A chat that is loaded with its messages, and resumes the answer that it is getting. */
export function Chat({ id, transport, history }: ChatProps) {
  const [text, setText] = useState('');
  const { messages, sendMessage, addToolApprovalResponse, status, error } = useChat({
    id,
    transport,
    messages: history.messages,
    resume: history.activeTurnId !== null,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const send = (event: FormEvent): void => {
    event.preventDefault();
    setText('');
    void sendMessage({ text });
  };
  return (
    <main>
      <h1>Turnpike and useChat</h1>
      {messages.map((message) => (
        <Message
          key={message.id}
          message={message}
          onAnswer={(approvalId, approved) =>
            void addToolApprovalResponse({ id: approvalId, approved })
          }
        />
      ))}
      <p role="status">{error?.message ?? status}</p>
      <form onSubmit={send}>
        <label>
          Message{' '}
          <input value={text} required onChange={({ target }) => setText(target.value)} size={60} />
        </label>
        <button disabled={status === 'submitted' || status === 'streaming'}>Send</button>
        {/* `stop` of useChat would close the stream, and the turn would go on. */}
        <button type="button" onClick={() => void transport.stop(id)}>
          Stop
        </button>
      </form>
    </main>
  );
}
