import { useChat } from '@ai-sdk/react';
import { lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';
import type { ChatHistory, TurnpikeChatTransport } from 'turnpike/client/ai-sdk';
import { Composer } from '../../packages/create-turnpike/template/page/parts/composer.tsx';
import { Conversation } from '../../packages/create-turnpike/template/page/parts/conversation.tsx';
import { Message } from './message.tsx';

interface ChatProps {
  id: string;
  transport: TurnpikeChatTransport;
  history: ChatHistory;
}

/** What the parts call the states of the hook. A turn that failed takes the next message. */
const statuses = {
  submitted: 'sending',
  streaming: 'answering',
  ready: 'ready',
  error: 'ready',
} as const;

/** A chat that is loaded with its messages, and resumes the answer that it is getting. */
export function Chat({ id, transport, history }: ChatProps) {
  const { messages, sendMessage, addToolApprovalResponse, ...chat } = useChat({
    id,
    transport,
    messages: history.messages,
    resume: history.activeTurnId !== null,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const status = statuses[chat.status];
  const send = async (text: string) => {
    await sendMessage({ text });
    return true;
  };
  const answer = async (approvalId: string, decision: string) => {
    await addToolApprovalResponse({ id: approvalId, approved: decision === 'approve' });
    return true;
  };
  return (
    <div className="chat">
      <header>
        <h1>Turnpike and useChat</h1>
      </header>
      <Conversation messages={messages} status={status}>
        {messages.map((message) => (
          <Message key={message.id} message={message} onAnswer={answer} />
        ))}
      </Conversation>
      <footer>
        {chat.error !== undefined && (
          <p role="alert" className="fault">
            {chat.error.message}
          </p>
        )}
        {/* `stop` of useChat would close the stream, and the turn would go on. */}
        <Composer status={status} onSend={send} onStop={() => void transport.stop(id)} />
      </footer>
    </div>
  );
}
