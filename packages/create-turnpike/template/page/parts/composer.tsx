import { useState, type FormEvent, type KeyboardEvent } from 'react';
import type { ChatState } from 'turnpike/client/react';
import { Icon } from './icon.tsx';

interface ComposerProps {
  status: ChatState['status'];
  /** @returns whether the message was accepted. */
  onSend(message: string): Promise<boolean>;
  onStop(): void;
}

/** The field for a message, which grows with it. While an answer comes, its button ends that. */
export function Composer({ status, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState('');
  const isReady = status === 'ready';
  const send = async () => {
    if (!isReady || text.trim() === '') return;
    setText('');
    // What was refused can be sent again.
    if (!(await onSend(text))) setText((newer) => (newer === '' ? text : newer));
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void send();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter that ends the composition of a character sends nothing.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void send();
  };
  return (
    <form className="composer" onSubmit={onSubmit}>
      {/* The copy of the text makes the field as high as it is. */}
      <div className="field" data-text={`${text} `}>
        <textarea
          aria-label="Message"
          placeholder="Write a message"
          rows={1}
          autoFocus
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      {status === 'answering' || status === 'waiting' ? (
        <button type="button" className="round" aria-label="Stop" onClick={onStop}>
          <Icon name="stop" />
        </button>
      ) : (
        <button
          className="round primary"
          aria-label="Send"
          disabled={!isReady || text.trim() === ''}
        >
          <Icon name="up" />
        </button>
      )}
    </form>
  );
}
