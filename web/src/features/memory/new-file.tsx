import { useMutation } from '@tanstack/react-query';
import { invalidate, useAgents, useAgentTitles } from '../../api/queries.js';
import { useState } from 'react';
import { client } from '../../api/client.js';
import { Field } from '../../components/field.js';
import { FormDialog } from '../../components/form-dialog.js';
import { hasCode } from './use-file-edit.js';

const ROOT = '/memories/';

/** The dialog that writes a file for an agent to find. */
export function NewFile({
  keepers,
  onClose,
}: {
  /** Agents that keep files already. */
  keepers: readonly string[];
  onClose: () => void;
}) {
  const { data: agents = [] } = useAgents();
  const names = [...new Set([...keepers, ...agents.map(({ name }) => name)])];
  const [chosen, setAgent] = useState<string>();
  const [path, setPath] = useState(ROOT);
  const [content, setContent] = useState('');
  const titleOf = useAgentTitles();
  const agent = chosen ?? names[0] ?? '';
  const creating = useMutation({
    mutationFn: () => client().memory.put(agent, path, { content, version: null }),
    onSuccess: () => {
      onClose();
      return invalidate('memory');
    },
  });
  // A file of that path is never replaced.
  const isThere = hasCode(creating.error, 'MEMORY_CHANGED');
  return (
    <FormDialog
      title="New memory file"
      action="Create"
      sending={creating}
      isReady={agent !== '' && path.trim() !== '' && path !== ROOT}
      isFaultShown={!isThere}
      onSubmit={() => creating.mutate()}
      onClose={onClose}
    >
      <Field label="Agent" about="The agent reads it if its memory is on.">
        {(control) => (
          <select {...control} value={agent} onChange={({ target }) => setAgent(target.value)}>
            {names.map((name) => (
              <option key={name} value={name}>
                {titleOf(name)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field
        label="Path"
        problem={isThere ? 'A file with this path exists. Open it to change it.' : undefined}
      >
        {({ className, ...control }) => (
          <input
            required
            autoFocus
            spellCheck={false}
            autoComplete="off"
            {...control}
            className={`${className} font-mono`}
            value={path}
            onChange={({ target }) => {
              setPath(target.value);
              creating.reset();
            }}
          />
        )}
      </Field>
      <Field label="Text">
        {({ className, ...control }) => (
          <textarea
            rows={8}
            spellCheck={false}
            {...control}
            className={`${className} font-mono text-xs leading-5`}
            value={content}
            onChange={({ target }) => setContent(target.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}
