import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { KeyView } from '#src/client/turnpike-client.js';
import { client } from '../../api/client.js';
import { invalidate } from '../../api/queries.js';
import { FormDialog } from '../../components/form-dialog.js';
import { fromTexts, KeyNameField, LimitFields, toTexts } from './key-fields.js';

/** The dialog that changes a key's name and limits. */
export function EditKey({ of, onClose }: { of: KeyView; onClose: () => void }) {
  const [name, setName] = useState(of.name);
  const [limits, setLimits] = useState(toTexts(of.limits));
  const saving = useMutation({
    mutationFn: () => client().keys.change(of.id, { name: name.trim(), limits: fromTexts(limits) }),
    onSuccess: async () => {
      await invalidate('keys');
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Key of ${of.principal}`}
      action="Save"
      sending={saving}
      onSubmit={() => saving.mutate()}
      onClose={onClose}
    >
      <KeyNameField name={name} onChange={setName} />
      <LimitFields texts={limits} onChange={setLimits} />
      <p className="text-xs text-muted">
        The key’s next turn has the new limits; a turn that runs keeps its own.
      </p>
    </FormDialog>
  );
}
