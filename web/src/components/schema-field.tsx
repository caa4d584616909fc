import { useId, type ReactNode } from 'react';
import type { FormField } from '#src/platform/parsing/form.js';

const control =
  'w-full rounded-lg border border-line-strong bg-panel px-2.5 py-1.5 text-sm aria-invalid:border-bad';

/** A field of a form that a schema describes, with what somebody typed or chose. */
export interface SchemaFieldProps {
  field: FormField;
  value: unknown;
  fault: string | undefined;
  onChange: (value: unknown) => void;
}

/** A control for the field, with its label, its words and its fault. */
export function SchemaField(props: SchemaFieldProps) {
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

function Control({
  field,
  value,
  fault,
  onChange,
  id,
}: SchemaFieldProps & { id: string }): ReactNode {
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
          value={field.options.findIndex((option) => option.value === value)}
          onChange={({ target }) => onChange(field.options[Number(target.value)]?.value)}
        >
          <option value={-1}>–</option>
          {field.options.map((option, index) => (
            <option key={`${option.value}`} value={index}>
              {option.title}
            </option>
          ))}
        </select>
      );
    case 'choices':
      return field.options.map((option) => (
        <label key={`${option.value}`} className="flex items-center gap-2">
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
