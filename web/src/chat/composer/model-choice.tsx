import type { ModelList } from '../../../../src/client/turnpike-client.js';
import { formatShort } from '../../ui/format.js';

/** The model of the next turn. */
export function ModelChoice({
  models,
  value,
  onChange,
}: {
  models: ModelList | undefined;
  /** Undefined: the server's default. */
  value: string | undefined;
  onChange: (model: string | undefined) => void;
}) {
  if (models === undefined) return null;
  const isGone = value !== undefined && !models.models.some(({ id }) => id === value);
  return (
    <select
      aria-label="Model"
      value={value ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
      className="h-8 max-w-56 rounded-lg bg-transparent px-1 text-xs text-soft hover:bg-sunken"
    >
      <option value="">{defaultWords(models)}</option>
      {isGone && <option value={value}>{value} (not listed)</option>}
      {models.models.map(({ id, name, contextWindow, price, lifecycle }) => (
        <option
          key={id}
          value={id}
          title={`${id}: ${formatShort(contextWindow)} tokens${price === undefined ? '' : `, $${price.input} in and $${price.output} out for a million`}`}
        >
          {name}
          {lifecycle === 'deprecated' ? ' (deprecated)' : ''}
        </option>
      ))}
    </select>
  );
}

/** The model that turns have which name none. */
function defaultWords({ provider, defaultModel, models }: ModelList): string {
  if (provider === 'rehearsal') return 'Rehearsal model';
  const name = models.find(({ id }) => id === defaultModel)?.name ?? defaultModel;
  return `${name} (default)`;
}
