export interface Suggestion {
  text: string;
  /** What is sent. Default: the text. */
  message?: string;
}

interface EmptyChatProps {
  suggestions?: readonly Suggestion[] | undefined;
  hint?: string | false | undefined;
  onSend(message: string): void;
}

/** A chat before its first message. */
export function EmptyChat({ suggestions = [], hint, onSend }: EmptyChatProps) {
  return (
    <section className="empty" aria-label="New chat">
      <h2>How can I help?</h2>
      <div className="suggestions">
        {suggestions.map(({ text, message = text }) => (
          <button key={text} onClick={() => onSend(message)}>
            {text}
          </button>
        ))}
      </div>
      {hint && <p className="hint">{hint}</p>}
    </section>
  );
}
