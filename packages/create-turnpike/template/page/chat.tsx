import { TurnpikeError, type TurnpikeClient } from 'turnpike/client';
import { useTurnpikeChat } from 'turnpike/client/react';
import { ChatHeader } from './parts/chat-header.tsx';
import { Composer } from './parts/composer.tsx';
import { Conversation } from './parts/conversation.tsx';
import { EmptyChat, type Suggestion } from './parts/empty-chat.tsx';
import { Message } from './parts/message.tsx';

export interface ChatProps {
  client: TurnpikeClient;
  title: string;
  /** The agent that answers. Default: the server's own. */
  agent?: string;
  /** Who is logged in. */
  person: string;
  onLogOut(): void;
  suggestions?: readonly Suggestion[];
  /** A line below the suggestions. */
  hint?: string | false;
}

/** A chat whose session is in the page's address: a reload shows it again, and reads on where an answer comes. */
export function Chat({ client, title, agent, person, onLogOut, suggestions, hint }: ChatProps) {
  const session = agent === undefined ? {} : { persona: agent };
  const chat = useTurnpikeChat({ client, session });
  const { sessionId, messages, status, error, send, stop, answer, reload, open } = chat;
  return (
    <div className="chat">
      <ChatHeader {...{ client, title, person, sessionId, onLogOut }} onOpen={open} />
      <Conversation messages={messages} status={status}>
        {sessionId === undefined && messages.length === 0 && (
          <EmptyChat
            suggestions={suggestions}
            hint={hint}
            onSend={(message) => void send(message)}
          />
        )}
        {messages.map((message) => (
          <Message key={message.id} message={message} onAnswer={answer} />
        ))}
      </Conversation>
      <footer>
        {error !== undefined && (
          <p role="alert" className="fault">
            {describe(error)}
            {sessionId !== undefined && status !== 'ready' && (
              <button onClick={reload}>Load again</button>
            )}
          </p>
        )}
        <Composer status={status} onSend={send} onStop={() => void stop()} />
      </footer>
    </div>
  );
}

/** The server's own words say what a program may do; a person is told what it means. */
function describe(error: Error): string {
  const isMissing = error instanceof TurnpikeError && error.code === 'SESSION_NOT_FOUND';
  return isMissing ? 'This chat is gone, or it is somebody else’s.' : error.message;
}
