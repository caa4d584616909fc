import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { TurnpikeError, type ListedTool, type TrialResult } from '#src/client/turnpike-client.js';
import { checkContent, readForm, type FormField } from '#src/platform/parsing/form.js';
import { isPlainObject, type JsonObject } from '#src/platform/json.js';
import { client } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { MutationFault } from '../../components/fault-note.js';
import { Field } from '../../components/field.js';
import { formatDuration } from '../../components/format.js';
import { OutputText } from '../../components/output-text.js';
import { SchemaField } from '../../components/schema-field.js';

type Values = Readonly<Record<string, unknown>>;
type Faults = Readonly<Record<string, string>>;

/** An argument of the tool: a field that a form can show, or JSON that somebody writes. */
interface Argument {
  name: string;
  isRequired: boolean;
  description?: string | undefined;
  /** Absent: its value is written as JSON. */
  field?: FormField;
}

/** A dialog that runs a tool once, with what is filled in. */
export function TryTool({ tool, onClose }: { tool: ListedTool; onClose: () => void }) {
  const { name, effect, inputSchema } = tool;
  const given = argumentsOf(inputSchema);
  const [values, setValues] = useState<Values>(() => standardsOf(given));
  const [faults, setFaults] = useState<Faults>({});
  const [isConfirmed, setIsConfirmed] = useState(false);
  const trying = useMutation({
    mutationFn: (input: JsonObject) =>
      client().tryTool({ tool: name, input, ...(isConfirmed && { confirmed: true }) }),
  });
  const { error } = trying;
  const isAsked = error instanceof TurnpikeError && error.code === 'TOOL_TRIAL_UNCONFIRMED';
  const asks = effect !== 'read' || isAsked;
  return (
    <Dialog title={`Try ${name}`} onClose={onClose}>
      <form
        noValidate
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault();
          const read = readInput(given, values);
          setFaults('faults' in read ? read.faults : {});
          if ('input' in read) trying.mutate(read.input);
        }}
      >
        <p className="text-sm text-muted">
          The tool runs on the server, without a model and outside of any project. The audit log has
          the call.
        </p>
        {given.length === 0 && <p className="text-sm">It takes no input.</p>}
        {given.map((argument) => (
          <ArgumentField
            key={argument.name}
            argument={argument}
            value={values[argument.name]}
            fault={faults[argument.name]}
            onChange={(value) => setValues((before) => ({ ...before, [argument.name]: value }))}
          />
        ))}
        {asks && (
          <label className="flex items-start gap-2 text-sm">
            <input
              type="checkbox"
              className="mt-1 accent-accent"
              checked={isConfirmed}
              onChange={({ target }) => setIsConfirmed(target.checked)}
            />
            Run it for real. It may change things that nobody can change back.
          </label>
        )}
        <MutationFault of={trying} />
        <div className="flex justify-end">
          <Button type="submit" look="main" disabled={trying.isPending || (asks && !isConfirmed)}>
            {trying.isPending ? 'Running…' : 'Run'}
          </Button>
        </div>
        {trying.data !== undefined && <Result result={trying.data} />}
      </form>
    </Dialog>
  );
}

function ArgumentField({
  argument: { name, isRequired, description, field },
  value,
  fault,
  onChange,
}: {
  argument: Argument;
  value: unknown;
  fault: string | undefined;
  onChange: (value: unknown) => void;
}) {
  if (field !== undefined) {
    return <SchemaField field={field} value={value} fault={fault} onChange={onChange} />;
  }
  return (
    <Field
      label={`${name}${isRequired ? ' (required)' : ''}, as JSON`}
      about={description}
      problem={fault === undefined ? undefined : `${name} ${fault}`}
    >
      {(control) => (
        <textarea
          {...control}
          rows={3}
          spellCheck={false}
          className={`${control.className} font-mono`}
          value={typeof value === 'string' ? value : ''}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

function Result({ result: { status, output, durationMs, progress } }: { result: TrialResult }) {
  return (
    <section aria-label="Result" className="space-y-2">
      <p role="status" className="text-sm">
        <strong className={status === 'success' ? 'text-good' : 'text-bad'}>
          {status === 'success' ? 'Succeeded' : 'Failed'}
        </strong>{' '}
        after {formatDuration(durationMs)}
      </p>
      {progress.length > 0 && (
        <ul aria-label="Progress" className="text-xs text-muted">
          {progress.map(({ note, elapsedMs }) => (
            <li key={elapsedMs}>
              {formatDuration(elapsedMs)} · {note}
            </li>
          ))}
        </ul>
      )}
      <OutputText text={output} label="Output" isBad={status === 'error'} />
    </section>
  );
}

/** The arguments of a tool, by its schema. Pure. */
function argumentsOf(schema: JsonObject): Argument[] {
  const { properties = {}, required = [] } = schema;
  if (!isPlainObject(properties)) return [];
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(properties).map(([name, property]): Argument => {
    const isRequired = names.includes(name);
    const form = readForm({
      type: 'object',
      properties: { [name]: property },
      required: isRequired ? [name] : [],
    });
    const [field] = 'fields' in form ? form.fields : [];
    const described = isPlainObject(property) ? property['description'] : undefined;
    const description = typeof described === 'string' ? described : undefined;
    return { name, isRequired, description, ...(field && { field }) };
  });
}

function standardsOf(given: readonly Argument[]): Values {
  return Object.fromEntries(
    given.flatMap(({ name, field }) =>
      field?.standard === undefined ? [] : [[name, field.standard]],
    ),
  );
}

/** The input as the tool gets it. Pure. */
function readInput(
  given: readonly Argument[],
  values: Values,
): { input: JsonObject } | { faults: Faults } {
  const fields = given.flatMap(({ field }) => field ?? []);
  const plain = Object.fromEntries(
    fields.flatMap(({ name }) => (values[name] === undefined ? [] : [[name, values[name]]])),
  );
  const checked = checkContent({ fields }, plain);
  const faults: Record<string, string> = 'faults' in checked ? { ...checked.faults } : {};
  const input: JsonObject = 'content' in checked ? { ...checked.content } : {};
  for (const { name, isRequired, field } of given) {
    if (field !== undefined) continue;
    const written = values[name];
    if (typeof written !== 'string' || written.trim() === '') {
      if (isRequired) faults[name] = 'is required';
      continue;
    }
    try {
      input[name] = JSON.parse(written) as JsonObject;
    } catch {
      faults[name] = 'is no JSON';
    }
  }
  return Object.keys(faults).length > 0 ? { faults } : { input };
}
