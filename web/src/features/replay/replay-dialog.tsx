import { useMutation } from '@tanstack/react-query';
import { useAgents, useModels } from '../../api/queries.js';
import { useState } from 'react';
import type { WantedReplay } from '#src/client/turnpike-client.js';
import { newKey } from '#src/client/transport/transport.js';
import { client } from '../../api/client.js';
import { navigate } from '../../app/navigation.js';
import { Field } from '../../components/field.js';
import { FormDialog } from '../../components/form-dialog.js';

type Tools = NonNullable<WantedReplay['tools']>;

/** The dialog that runs a turn again, and opens both side by side. */
export function ReplayDialog({ turnId, onClose }: { turnId: string; onClose: () => void }) {
  const models = useModels();
  const { data: agents = [] } = useAgents();
  const [model, setModel] = useState('');
  const [agent, setAgent] = useState('');
  const [tools, setTools] = useState<Tools>('recorded');
  const [sent, setSent] = useState<{ body: string; key: string }>();
  const starting = useMutation({
    mutationFn: () => {
      const request = { tools, ...(model !== '' && { model }), ...(agent !== '' && { agent }) };
      // The same request again is the same replay: the response of the first may not have arrived.
      const body = JSON.stringify(request);
      const key = sent?.body === body ? sent.key : newKey();
      setSent({ body, key });
      return client().turns.replay(turnId, request, key);
    },
    onSuccess: (replay) => navigate(`/turns/${turnId}/compare/${replay.turnId}`),
  });
  return (
    <FormDialog
      title="Replay this turn"
      action="Replay"
      sending={starting}
      onSubmit={() => starting.mutate()}
      onClose={onClose}
    >
      <p className="text-sm text-muted">
        Sends the same message after the same conversation, in a hidden session, and compares both
        turns. Model calls cost as usual; no tool runs.
      </p>
      <Field label="Model">
        {(control) => (
          <select {...control} value={model} onChange={({ target }) => setModel(target.value)}>
            <option value="">Same as recorded</option>
            {models?.models.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Agent">
        {(control) => (
          <select {...control} value={agent} onChange={({ target }) => setAgent(target.value)}>
            <option value="">Same as recorded</option>
            {agents.map(({ name, title }) => (
              <option key={name} value={name}>
                {title ?? name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Tools" about="A call that was not recorded gets an error.">
        {(control) => (
          <select
            {...control}
            value={tools}
            onChange={({ target }) => setTools(target.value === 'none' ? 'none' : 'recorded')}
          >
            <option value="recorded">Use recorded results</option>
            <option value="none">No tools</option>
          </select>
        )}
      </Field>
    </FormDialog>
  );
}
