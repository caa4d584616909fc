import type { ReactNode } from 'react';
import { sessionOrigins, turnStatuses } from '#src/storage/shapes/stored-turn.js';
import { useAgents, useModels } from '../../api/queries.js';
import { Field } from '../../components/field.js';
import { filterNames, type ShownFilters } from './turn-filters.js';

const statusWords: Readonly<Record<string, string>> = {
  '': 'Any status',
  unended: 'Not ended',
  ...Object.fromEntries(turnStatuses.map((status) => [status, capital(status)])),
};

const rangeWords: Readonly<Record<string, string>> = {
  '': 'All time',
  '1h': 'Last hour',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
};

/** The filters of the list: the frequent ones in a row, the others below it. */
export function FilterBar({
  filters,
  ofAll,
  onChange,
}: {
  filters: ShownFilters;
  /** Whether the list has turns of everybody. */
  ofAll: boolean;
  onChange: (change: ShownFilters) => void;
}) {
  const { data: agents = [] } = useAgents();
  const models = useModels()?.models ?? [];
  const more: (keyof ShownFilters)[] = [
    'model',
    'tool',
    'error',
    'wire',
    'principal',
    'took',
    'cost',
  ];
  const isAnySet = filterNames.some((name) => name !== 'of' && filters[name] !== undefined);
  const text = (name: keyof ShownFilters, label: string, placeholder = '', options?: string[]) => (
    <TextFilter
      key={name}
      name={name}
      label={label}
      placeholder={placeholder}
      options={options}
      value={filters[name] ?? ''}
      onCommit={(value) => onChange({ [name]: value })}
    />
  );
  return (
    <div className="mb-4 rounded-xl border border-line bg-panel p-3">
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        <Choice
          label="Status"
          words={statusWords}
          value={filters.status ?? ''}
          onChange={(status) => onChange({ status })}
        />
        <Choice
          label="Sent"
          words={rangeWords}
          value={filters.range ?? ''}
          onChange={(range) => onChange({ range })}
        />
        {text(
          'agent',
          'Agent',
          'Any',
          agents.map(({ name }) => name),
        )}
        {text('id', 'Id of a turn or session', 'turn_… or sess_…')}
      </div>
      <details className="mt-2" open={more.some((name) => filters[name] !== undefined)}>
        <summary className="cursor-pointer text-xs text-muted hover:text-ink">More filters</summary>
        <div className="mt-2 grid grid-cols-2 gap-3 sm:grid-cols-4">
          {text(
            'model',
            'Model',
            'Any',
            models.map(({ id }) => id),
          )}
          {text('tool', 'Called the tool', 'Any')}
          {text('error', 'Error', 'SDK_FAILURE')}
          <Choice
            label="Wire"
            words={{ '': 'Any', ...Object.fromEntries(sessionOrigins.map((one) => [one, one])) }}
            value={filters.wire ?? ''}
            onChange={(wire) => onChange({ wire })}
          />
          {text('took', 'Took at least (s)', '0')}
          {text('cost', 'Cost at least ($)', '0')}
          {ofAll && text('principal', 'Principal', 'Anybody')}
        </div>
      </details>
      {isAnySet && (
        <button
          type="button"
          className="mt-2 text-xs text-accent-ink underline"
          onClick={() =>
            onChange(
              Object.fromEntries(filterNames.filter((n) => n !== 'of').map((name) => [name, ''])),
            )
          }
        >
          Clear filters
        </button>
      )}
    </div>
  );
}

function Choice({
  label,
  words,
  value,
  onChange,
}: {
  label: string;
  words: Readonly<Record<string, string>>;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <Field label={label}>
      {(control) => (
        <select {...control} value={value} onChange={({ target }) => onChange(target.value)}>
          {Object.entries(words).map(([name, word]) => (
            <option key={name} value={name}>
              {word}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** A text that counts once Enter is pressed or the field is left. */
function TextFilter({
  name,
  label,
  placeholder,
  options = [],
  value,
  onCommit,
}: {
  name: string;
  label: string;
  placeholder: string;
  /** Offered while something is typed. */
  options?: readonly string[] | undefined;
  value: string;
  onCommit: (value: string) => void;
}): ReactNode {
  const list = `filter-${name}`;
  return (
    <Field label={label}>
      {(control) => (
        <>
          <input
            {...control}
            // Another address of the page has another value.
            key={value}
            defaultValue={value}
            placeholder={placeholder}
            list={options.length === 0 ? undefined : list}
            onKeyDown={({ key, currentTarget }) => {
              if (key === 'Enter') onCommit(currentTarget.value);
            }}
            onBlur={({ target }) => {
              if (target.value.trim() !== value) onCommit(target.value);
            }}
          />
          {options.length > 0 && (
            <datalist id={list}>
              {options.map((option) => (
                <option key={option} value={option} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  );
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
