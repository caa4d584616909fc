import { useCallback } from 'react';
import { client } from '../app/client.js';
import { useSessions } from '../app/use-sessions.js';
import { useResource } from '../app/use-resource.js';
import { Field } from '../ui/field.js';
import type { Bind } from './use-draft.js';

/** Where a schedule's turns run: in a session of the user's, or in new ones, with an agent and a folder. */
export function SessionFields({ bind }: { bind: Bind }) {
  const { value: sessions = [] } = useSessions('chats');
  const { value: agents = [] } = useResource(useCallback(() => client().agents(), []));
  const session = bind('session');
  const agent = bind('agent');
  const folder = bind('projectRoot');
  const { value: chosen } = session.entry;
  const names = agents.filter(({ type }) => type !== 2).map(({ name }) => name);
  const { value: named } = agent.entry;
  const isListed = chosen === 'new' || sessions.some(({ sessionId }) => sessionId === chosen);
  return (
    <>
      <Field label="Session" problem={session.problem}>
        {(control) => (
          <select {...control} {...session.entry}>
            <option value="new">A new session each time</option>
            {!isListed && <option value={chosen}>{chosen}</option>}
            {sessions.map(({ sessionId, title, projectRoot }) => (
              <option key={sessionId} value={sessionId}>
                {title ?? 'New session'} ({projectRoot.split('/').at(-1)})
              </option>
            ))}
          </select>
        )}
      </Field>
      {chosen === 'new' && (
        <div className="grid gap-3 sm:grid-cols-2">
          <Field label="Agent" problem={agent.problem}>
            {(control) => (
              <select {...control} {...agent.entry}>
                <option value="">Default agent</option>
                {named !== '' && !names.includes(named) && <option>{named}</option>}
                {names.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            )}
          </Field>
          <Field
            label="Folder (optional)"
            about="If empty, your own folder."
            problem={folder.problem}
          >
            {(control) => (
              <input spellCheck={false} autoComplete="off" {...control} {...folder.entry} />
            )}
          </Field>
        </div>
      )}
    </>
  );
}
