import { useEffect, useRef, useState } from 'react';
import { checkContent, readForm, type Form } from '#src/platform/parsing/form.js';
import { Button } from '../../components/button.js';
import { SchemaField } from '../../components/schema-field.js';

/** What the user has typed or chosen, by field. Absent: nothing. */
type Values = Readonly<Record<string, unknown>>;

export interface QuestionActions {
  isBusy: boolean;
  onAnswer: (content?: Record<string, unknown>) => void;
  onDecline: () => void;
  onDismiss: () => void;
}

/** What a call asks its person: a form to fill in, or a link to open. */
export function CallQuestion({
  question,
  ...actions
}: QuestionActions & { question: Readonly<Record<string, unknown>> }) {
  const { server, message, url, origin, schema } = question;
  const form = url === undefined ? readForm(schema) : undefined;
  return (
    <div className="space-y-3">
      <p className="text-xs text-muted">
        The MCP server “{String(server)}” asks, not Turnpike. Do not tell it passwords or keys.
      </p>
      {typeof message === 'string' && <p className="whitespace-pre-wrap">{message}</p>}
      {typeof url === 'string' && <Link url={url} origin={String(origin)} />}
      {form !== undefined && 'fields' in form ? (
        <QuestionForm form={form} {...actions} />
      ) : (
        <div className="flex flex-wrap gap-2">
          <Button look="main" disabled={actions.isBusy} onClick={() => actions.onAnswer()}>
            Done
          </Button>
          <Refusals {...actions} />
        </div>
      )}
    </div>
  );
}

/** A page that the user may open. Its address is shown whole. */
function Link({ url, origin }: { url: string; origin: string }) {
  const isPage = /^https?:\/\//.test(url);
  return (
    <div className="space-y-1">
      <p>
        It wants you to open a page of <strong>{origin}</strong>. Finish there, then press Done:
      </p>
      {isPage ? (
        <a
          href={url}
          target="_blank"
          rel="noopener noreferrer"
          className="font-mono text-xs break-all underline"
        >
          {url}
        </a>
      ) : (
        <code className="text-xs break-all">{url}</code>
      )}
    </div>
  );
}

function Refusals({ isBusy, onDecline, onDismiss }: QuestionActions) {
  return (
    <>
      <Button look="bad" disabled={isBusy} onClick={onDecline}>
        Decline
      </Button>
      <Button look="quiet" disabled={isBusy} onClick={onDismiss}>
        Close without an answer
      </Button>
    </>
  );
}

function QuestionForm({ form, ...actions }: QuestionActions & { form: Form }) {
  const [values, setValues] = useState<Values>(() =>
    Object.fromEntries(
      form.fields.flatMap(({ name, standard }) =>
        standard === undefined ? [] : [[name, standard]],
      ),
    ),
  );
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const shown = useRef<HTMLFormElement>(null);
  // In a long form the first fault is out of view.
  useEffect(() => {
    shown.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [faults]);
  return (
    <form
      ref={shown}
      noValidate
      className="space-y-3"
      onSubmit={(event) => {
        event.preventDefault();
        const given = Object.fromEntries(
          Object.entries(values).filter(([, value]) => value !== undefined),
        );
        const checked = checkContent(form, given);
        setFaults('faults' in checked ? checked.faults : {});
        if ('content' in checked) actions.onAnswer(checked.content);
      }}
    >
      {form.fields.map((field) => (
        <SchemaField
          key={field.name}
          field={field}
          value={values[field.name]}
          fault={faults[field.name]}
          onChange={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
        />
      ))}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="main" disabled={actions.isBusy}>
          Send answer
        </Button>
        <Refusals {...actions} />
      </div>
    </form>
  );
}
