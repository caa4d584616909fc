import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { PromptView } from '#src/client/turnpike-client.js';
import { client } from '../../../api/client.js';
import { Field } from '../../../components/field.js';
import { FormDialog } from '../../../components/form-dialog.js';

/** A prompt with its arguments, as `opts.prompt` has it. */
export interface ChosenPrompt {
  server: string;
  name: string;
  arguments?: Record<string, string>;
}

/** The beginning of a prompt's name that is typed as `/name`; undefined: the text is a message. Pure. */
export function typedPrompt(text: string): string | undefined {
  return /^\/([^\s/]*)$/.exec(text)?.[1];
}

const nothing = { isPending: false, error: null, reset: () => undefined };

/** The prompts of the session's MCP servers whose names begin with what is typed after the slash. */
export function PromptMenu({
  sessionId,
  typed,
  onChoose,
}: {
  sessionId: string;
  typed: string;
  onChoose: (prompt: ChosenPrompt) => void;
}) {
  const [asked, setAsked] = useState<PromptView>();
  const listed = useQuery({
    queryKey: ['prompts', sessionId],
    queryFn: () => client().sessions.prompts(sessionId),
    staleTime: 60_000,
  });
  const fitting = (listed.data ?? []).filter(({ name }) =>
    name.toLowerCase().startsWith(typed.toLowerCase()),
  );
  const choose = (prompt: PromptView): void => {
    if (prompt.arguments.length > 0) return setAsked(prompt);
    onChoose({ server: prompt.server, name: prompt.name });
  };
  if (fitting.length === 0) return null;
  return (
    <>
      <ul
        aria-label="Prompts"
        className="max-h-56 overflow-y-auto border-b border-line p-1 text-sm"
      >
        {fitting.map((prompt) => (
          <li key={`${prompt.server}/${prompt.name}`}>
            <button
              type="button"
              onClick={() => choose(prompt)}
              className="flex w-full items-baseline gap-2 rounded-lg px-2 py-1.5 text-left hover:bg-sunken"
            >
              <span className="shrink-0 font-mono text-[0.8125rem] font-medium">
                /{prompt.name}
              </span>
              <span className="min-w-0 flex-1 truncate text-xs text-muted">
                {prompt.description ?? prompt.title ?? ''}
              </span>
              <span className="shrink-0 text-xs text-muted">{prompt.server}</span>
            </button>
          </li>
        ))}
      </ul>
      {asked !== undefined && (
        <Arguments
          prompt={asked}
          onClose={() => setAsked(undefined)}
          onFilled={(given) => {
            setAsked(undefined);
            onChoose({ server: asked.server, name: asked.name, arguments: given });
          }}
        />
      )}
    </>
  );
}

function Arguments({
  prompt,
  onFilled,
  onClose,
}: {
  prompt: PromptView;
  onFilled: (given: Record<string, string>) => void;
  onClose: () => void;
}) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const isReady = prompt.arguments.every(({ name, required }) => !required || values[name]?.trim());
  return (
    <FormDialog
      title={`/${prompt.name} of ${prompt.server}`}
      action="Send"
      sending={nothing}
      isReady={isReady}
      onClose={onClose}
      onSubmit={() =>
        onFilled(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')))
      }
    >
      {prompt.arguments.map(({ name, description, required }) => (
        <Field key={name} label={required ? name : `${name} (optional)`} about={description}>
          {(control) => (
            <input
              {...control}
              value={values[name] ?? ''}
              onChange={({ target }) => setValues((all) => ({ ...all, [name]: target.value }))}
            />
          )}
        </Field>
      ))}
    </FormDialog>
  );
}
