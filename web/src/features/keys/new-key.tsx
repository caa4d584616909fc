import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { CreatedKey, KeyView } from '#src/client/turnpike-client.js';
import { client } from '../../api/client.js';
import { CheckList, Field } from '../../components/field.js';
import { FormDialog } from '../../components/form-dialog.js';
import { fromTexts, KeyNameField, LimitFields, toTexts, type LimitTexts } from './key-fields.js';

const scopes = {
  turns: 'Send messages',
  approvals: 'Answer approvals',
  admin: 'Administer the server',
  texts: 'With that: read the turns of others',
};

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
  const [asked, setAsked] = useState<readonly (keyof typeof scopes)[]>(['turns', 'approvals']);
  const [life, setLife] = useState('90d');
  const [limits, setLimits] = useState(toTexts({}));
  const creating = useMutation({
    mutationFn: () =>
      client().keys.create({
        principal: principal.trim(),
        scopes: asked,
        limits: ownLimits(limits),
        ...(name.trim() !== '' && { name: name.trim() }),
        ...(life !== '' && { expiresIn: life }),
      }),
    onSuccess: onMade,
  });
  return (
    <FormDialog
      title="New API key"
      action="Create"
      sending={creating}
      isReady={principal.trim() !== '' && asked.length > 0}
      onSubmit={() => creating.mutate()}
      onClose={onClose}
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
      <KeyNameField name={name} onChange={setName} />
      <LimitFields texts={limits} onChange={setLimits} />
      <CheckList legend="May" words={scopes} chosen={asked} onChange={setAsked} />
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
    </FormDialog>
  );
}

/** The limits that were typed. */
function ownLimits(texts: LimitTexts): KeyView['limits'] {
  const typed = Object.entries(fromTexts(texts)).filter(([, value]) => value !== null);
  return Object.fromEntries(typed);
}
