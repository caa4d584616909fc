import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { checkContent, readForm, type Form, type FormField } from '#src/platform/parsing/form.js';
import { Button } from '../../components/button.js';

const control =
  'w-full rounded-lg border border-line-strong bg-panel px-2.5 py-1.5 text-sm aria-invalid:border-bad';

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
        <Field
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

interface FieldProps {
  field: FormField;
  value: unknown;
  fault: string | undefined;
  onChange: (value: unknown) => void;
}

function Field(props: FieldProps) {
  const { field, fault } = props;
  const id = useId();
  const isGroup = field.kind === 'choices';
  const label = (
    <>
      {field.title}
      {field.isRequired ? ' (required)' : ''}
    </>
  );
  return (
    <div role={isGroup ? 'group' : undefined} aria-labelledby={isGroup ? `${id}-label` : undefined}>
      {isGroup ? (
        <span id={`${id}-label`} className="block text-xs font-medium">
          {label}
        </span>
      ) : (
        <label htmlFor={id} className="block text-xs font-medium">
          {label}
        </label>
      )}
      {field.description !== undefined && (
        <p id={`${id}-about`} className="text-xs text-muted">
          {field.description}
        </p>
      )}
      <Control {...props} id={id} />
      <p id={`${id}-fault`} aria-live="polite" className="text-xs text-bad">
        {fault === undefined ? '' : `${field.title} ${fault}`}
      </p>
    </div>
  );
}

function Control({ field, value, fault, onChange, id }: FieldProps & { id: string }): ReactNode {
  const described = {
    'aria-invalid': fault !== undefined,
    'aria-describedby': field.description === undefined ? `${id}-fault` : `${id}-about ${id}-fault`,
  };
  const common = { ...described, id, 'aria-required': field.isRequired };
  const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
  switch (field.kind) {
    case 'yes-no':
      return (
        <select
          {...common}
          className={control}
          value={typeof value === 'boolean' ? `${value}` : ''}
          onChange={({ target }) =>
            onChange(target.value === '' ? undefined : target.value === 'true')
          }
        >
          <option value="">–</option>
          <option value="true">Yes</option>
          <option value="false">No</option>
        </select>
      );
    case 'choice':
      return (
        <select
          {...common}
          className={control}
          value={typeof value === 'string' ? value : ''}
          onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
        >
          <option value="">–</option>
          {field.options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.title}
            </option>
          ))}
        </select>
      );
    case 'choices':
      return field.options.map((option) => (
        <label key={option.value} className="flex items-center gap-2">
          <input
            {...described}
            type="checkbox"
            checked={chosen.includes(option.value)}
            onChange={({ target }) => {
              const others = chosen.filter((one) => one !== option.value);
              const next = target.checked ? [...others, option.value] : others;
              onChange(next.length === 0 && !field.isRequired ? undefined : next);
            }}
          />
          {option.title}
        </label>
      ));
    case 'number':
    case 'integer':
      return (
        <input
          {...common}
          className={control}
          inputMode={field.kind === 'integer' ? 'numeric' : 'decimal'}
          value={typeof value === 'number' || typeof value === 'string' ? `${value}` : ''}
          onChange={({ target }) => onChange(numberOf(target.value))}
        />
      );
    case 'text':
      return (
        <input
          {...common}
          className={control}
          type={field.format === 'date' ? 'date' : 'text'}
          autoComplete="off"
          placeholder={field.format === 'date-time' ? '2026-01-31T08:00:00Z' : undefined}
          value={typeof value === 'string' ? value : ''}
          onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
        />
      );
  }
}

/** What was typed as a number; what is none stays text, which the check names. */
function numberOf(text: string): unknown {
  if (text.trim() === '') return undefined;
  return /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text;
}
