import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import type { ChatState } from 'turnpike/client/react';
import { Icon } from './icon.tsx';

interface ConversationProps {
  status: ChatState['status'];
  /** Changes when there is more to show. */
  messages: readonly unknown[];
  /** The messages, or what is shown before the first. */
  children: ReactNode;
}

/** Pixels from the end within which a reader is at the end. */
const NEAR = 48;

const said = {
  loading: 'Loading the chat',
  sending: 'Sending',
  answering: 'The answer comes',
  waiting: 'A question is open',
  ready: 'Ready',
};

/** The messages, which stay at their end while an answer comes, unless the reader scrolls up. */
export function Conversation({ messages, status, children }: ConversationProps) {
  const box = useRef<HTMLElement>(null);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const scrollToEnd = () => box.current?.scrollTo({ top: box.current.scrollHeight });
  useLayoutEffect(() => {
    if (isAtEnd) scrollToEnd();
  }, [messages, isAtEnd]);
  const onScroll = () => {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = box.current ?? {};
    setIsAtEnd(scrollHeight - scrollTop - clientHeight < NEAR);
  };
  return (
    <main ref={box} onScroll={onScroll} tabIndex={0} aria-label="Conversation">
      <div className="column">
        {children}
        <p role="status" className={status === 'loading' ? 'hint' : 'unseen'}>
          {said[status]}
        </p>
      </div>
      {!isAtEnd && (
        <button className="to-end" aria-label="Go to the end" onClick={scrollToEnd}>
          <Icon name="down" />
        </button>
      )}
    </main>
  );
}
