import { useState } from 'react';
import type { CreatedKey } from '../../../src/client/turnpike-client.js';
import { client } from '../app/client.js';
import { FaultNote } from '../app/fault-note.js';
import { useAct } from '../app/use-act.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Field } from '../ui/field.js';

const scopes = [
  { value: 'turns', words: 'Send messages' },
  { value: 'approvals', words: 'Answer approvals' },
  { value: 'admin', words: 'Administer the server' },
] as const;

const lives = [
  { value: '30d', words: '30 days' },
  { value: '90d', words: '90 days' },
  { value: '365d', words: 'A year' },
  { value: '', words: 'Never' },
];

/** The dialog that makes an API key. */
export function NewKey({
  onMade,
  onClose,
}: {
  onMade: (key: CreatedKey) => void;
  onClose: () => void;
}) {
  const [principal, setPrincipal] = useState('');
  const [name, setName] = useState('');
  const [asked, setAsked] = useState<readonly string[]>(['turns', 'approvals']);
  const [life, setLife] = useState('90d');
  const act = useAct();
  const make = async (): Promise<void> => {
    const key = {
      principal: principal.trim(),
      scopes: asked,
      ...(name.trim() !== '' && { name: name.trim() }),
      ...(life !== '' && { expiresIn: life }),
    };
    onMade(await client().keys.create(key));
  };
  return (
    <Dialog title="New API key" onClose={onClose}>
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault();
          act.run(make);
        }}
      >
        <Field
          label="Principal"
          about="Who uses the key: keys of one principal see the same sessions."
        >
          {(control) => (
            <input
              {...control}
              required
              maxLength={64}
              pattern="[A-Za-z0-9._@\-]+"
              autoComplete="off"
              value={principal}
              onChange={({ target }) => setPrincipal(target.value)}
            />
          )}
        </Field>
        <Field label="Name (optional)" about="To tell the keys of a principal apart.">
          {(control) => (
            <input
              {...control}
              maxLength={100}
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
          )}
        </Field>
        <fieldset>
          <legend className="mb-1 text-xs font-medium">May</legend>
          {scopes.map(({ value, words }) => (
            <label key={value} className="flex items-center gap-2 text-sm">
              <input
                type="checkbox"
                checked={asked.includes(value)}
                onChange={({ target }) =>
                  setAsked(
                    target.checked ? [...asked, value] : asked.filter((one) => one !== value),
                  )
                }
                className="accent-accent"
              />
              {words} <code className="text-xs text-muted">{value}</code>
            </label>
          ))}
        </fieldset>
        <Field label="Expires after">
          {(control) => (
            <select {...control} value={life} onChange={({ target }) => setLife(target.value)}>
              {lives.map(({ value, words }) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </select>
          )}
        </Field>
        {act.fault !== undefined && <FaultNote fault={act.fault} onDismiss={act.dismiss} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            look="main"
            disabled={act.isBusy || principal.trim() === '' || asked.length === 0}
          >
            Create
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
