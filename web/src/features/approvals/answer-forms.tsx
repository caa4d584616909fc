import { useId, useState } from 'react';
import { isPlainObject } from '#src/platform/json.js';
import { Button } from '../../components/button.js';

const field =
  'w-full rounded-lg border border-line-strong bg-panel px-2.5 py-1.5 text-sm aria-invalid:border-bad';

export function DenyForm({
  isBusy,
  onDeny,
  onCancel,
}: {
  isBusy: boolean;
  onDeny: (message: string) => void;
  onCancel: () => void;
}) {
  const [message, setMessage] = useState('');
  const id = useId();
  return (
    <form
      className="space-y-2"
      onSubmit={(event) => {
        event.preventDefault();
        onDeny(message.trim());
      }}
    >
      <label htmlFor={id} className="block text-xs font-medium">
        Reason, which the model reads (optional)
      </label>
      <input
        id={id}
        autoFocus
        maxLength={4_000}
        value={message}
        onChange={(event) => setMessage(event.target.value)}
        placeholder="Write to docs/ instead."
        className={field}
      />
      <div className="flex gap-2">
        <Button type="submit" look="bad" disabled={isBusy}>
          Deny
        </Button>
        <Button look="quiet" onClick={onCancel}>
          Back
        </Button>
      </div>
    </form>
  );
}

export function EditForm({
  input,
  isBusy,
  onApprove,
  onCancel,
}: {
  input: unknown;
  isBusy: boolean;
  onApprove: (input: Record<string, unknown>) => void;
  onCancel: () => void;
}) {
  const [text, setText] = useState(() => JSON.stringify(input, null, 2));
  const id = useId();
  const parsed = parseInput(text);
  const problem = 'problem' in parsed ? parsed.problem : undefined;
  return (
    <form
      className="space-y-2"
      onSubmit={(event) => {
        event.preventDefault();
        if ('input' in parsed) onApprove(parsed.input);
      }}
    >
      <label htmlFor={id} className="block text-xs font-medium">
        Input of the tool. The model is told that you changed it.
      </label>
      <textarea
        id={id}
        autoFocus
        spellCheck={false}
        rows={Math.min(16, text.split('\n').length + 1)}
        value={text}
        onChange={(event) => setText(event.target.value)}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-problem`}
        className={`${field} font-mono text-xs leading-5`}
      />
      <p id={`${id}-problem`} aria-live="polite" className="text-xs text-bad">
        {problem}
      </p>
      <div className="flex gap-2">
        <Button type="submit" look="main" disabled={isBusy || problem !== undefined}>
          Allow with this input
        </Button>
        <Button look="quiet" onClick={onCancel}>
          Back
        </Button>
      </div>
    </form>
  );
}

/** Parses a tool's input as a person typed it: the object, or the fault. Pure. */
function parseInput(text: string): { input: Record<string, unknown> } | { problem: string } {
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch (error) {
    return {
      problem: `This is not JSON: ${error instanceof Error ? error.message : 'unreadable'}`,
    };
  }
  if (!isPlainObject(input)) return { problem: 'The input must be a JSON object: { … }' };
  return { input };
}
