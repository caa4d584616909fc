import { useEffect, useState } from 'react';
import type { ListedSession, TurnpikeClient } from 'turnpike/client';
import { currentTheme, toggleTheme, type Theme } from '../theme.ts';
import { Icon } from './icon.tsx';

interface ChatHeaderProps {
  client: TurnpikeClient;
  title: string;
  person: string;
  sessionId: string | undefined;
  onOpen(sessionId?: string): void;
  onLogOut(): void;
}

export function ChatHeader(props: ChatHeaderProps) {
  const { client, title, person, sessionId, onOpen, onLogOut } = props;
  const [theme, setTheme] = useState<Theme>('light');
  // A server that renders the page does not know it.
  useEffect(() => setTheme(currentTheme()), []);
  const [chats, setChats] = useState<ListedSession[]>();
  const [fault, setFault] = useState<string>();
  const load = async () => {
    try {
      setChats((await client.sessions.list({ limit: 30 })).sessions);
      setFault(undefined);
    } catch (error) {
      setFault(String(error));
    }
  };
  const close = () => document.getElementById('chats')?.hidePopover();
  return (
    <header>
      <h1>{title}</h1>
      <button className="plain" popoverTarget="chats" onClick={() => void load()}>
        <Icon name="list" />
        <span>Chats</span>
      </button>
      <button className="plain" disabled={sessionId === undefined} onClick={() => onOpen()}>
        <Icon name="plus" />
        <span>New chat</span>
      </button>
      <button
        className="plain"
        aria-label={theme === 'dark' ? 'Light theme' : 'Dark theme'}
        onClick={() => {
          toggleTheme();
          setTheme(currentTheme());
        }}
      >
        <Icon name={theme === 'dark' ? 'sun' : 'moon'} />
      </button>
      <span className="person">{person}</span>
      <button className="plain" onClick={onLogOut}>
        <Icon name="leave" />
        <span>Log out</span>
      </button>
      <nav id="chats" popover="auto" aria-label="My chats">
        {fault !== undefined && <p role="alert">{fault}</p>}
        {fault === undefined && chats?.length === 0 && <p className="hint">No chat so far.</p>}
        {chats?.map(({ sessionId: id, title: name }) => (
          <a
            key={id}
            href={`#${id}`}
            aria-current={id === sessionId ? 'page' : undefined}
            onClick={close}
          >
            {name}
          </a>
        ))}
      </nav>
    </header>
  );
}
