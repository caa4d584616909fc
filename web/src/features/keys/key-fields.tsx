import type { KeyView } from '#src/client/turnpike-client.js';
import { Field } from '../../components/field.js';

export type LimitName = keyof KeyView['limits'];

/** Limits as they are typed; empty: the server's own. */
export type LimitTexts = Readonly<Record<LimitName, string>>;

const labels: Readonly<Record<LimitName, string>> = {
  usdPerDay: 'US$ a day',
  tokensPerDay: 'Tokens a day',
  requestsPerMinute: 'Requests a minute',
  concurrentTurns: 'Turns at once',
};
const names = Object.keys(labels) as LimitName[];

export function toTexts(limits: KeyView['limits']): LimitTexts {
  const text = (name: LimitName): string => String(limits[name] ?? '');
  return {
    usdPerDay: text('usdPerDay'),
    tokensPerDay: text('tokensPerDay'),
    requestsPerMinute: text('requestsPerMinute'),
    concurrentTurns: text('concurrentTurns'),
  };
}

/** The limits that were typed; null: the server's own. What is no number is left to the server, which says so. */
export function fromTexts(texts: LimitTexts): Record<LimitName, number | null> {
  const limit = (name: LimitName): number | null =>
    texts[name].trim() === '' ? null : Number(texts[name]);
  return {
    usdPerDay: limit('usdPerDay'),
    tokensPerDay: limit('tokensPerDay'),
    requestsPerMinute: limit('requestsPerMinute'),
    concurrentTurns: limit('concurrentTurns'),
  };
}

/** The limits in words, the cost first; empty: the key has none of its own. */
export function describeLimits(limits: KeyView['limits']): string[] {
  return names.flatMap((name) => {
    const value = limits[name];
    if (value === undefined) return [];
    return [`${labels[name]}: ${value === 0 ? 'no limit' : value.toLocaleString('en-US')}`];
  });
}

/** The field for the name of a key. */
export function KeyNameField({
  name,
  onChange,
}: {
  name: string;
  onChange: (name: string) => void;
}) {
  return (
    <Field label="Name (optional)" about="To tell the keys of a principal apart.">
      {(control) => (
        <input
          {...control}
          maxLength={100}
          value={name}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

/** The fields for the limits of a key. */
export function LimitFields({
  texts,
  onChange,
}: {
  texts: LimitTexts;
  onChange: (texts: LimitTexts) => void;
}) {
  return (
    <fieldset>
      <legend className="mb-1 text-xs font-medium">
        Limits <span className="font-normal text-muted">empty: the server’s; 0: none</span>
      </legend>
      <div className="grid grid-cols-2 gap-3">
        {names.map((name) => (
          <Field key={name} label={labels[name]}>
            {(control) => (
              <input
                {...control}
                type="number"
                min={0}
                step={name === 'usdPerDay' ? 'any' : 1}
                value={texts[name]}
                onChange={({ target }) => onChange({ ...texts, [name]: target.value })}
              />
            )}
          </Field>
        ))}
      </div>
    </fieldset>
  );
}
