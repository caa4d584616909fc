import { useMutation } from '@tanstack/react-query';
import { LogOut } from '../components/icons.js';
import { logOut } from '../api/log-in.js';
import { usePerson } from '../api/queries.js';
import { IconButton } from '../components/button.js';
import { MutationFault } from '../components/fault-note.js';

/** The person who has logged in, with groups and rights, and a button to log out; nothing where nobody has. */
export function PersonBar() {
  const person = usePerson();
  const leaving = useMutation({ mutationFn: logOut });
  if (person === undefined) return null;
  const { principal, credential, scopes } = person;
  const { name = principal, groups = [] } = credential;
  const rights = [...groups, `may: ${scopes.join(', ')}`].join(' · ');
  return (
    <section aria-label="Logged in" className="border-t border-line p-2 pl-3">
      <div className="flex items-center gap-2">
        <div className="min-w-0 flex-1" title={`${principal}\n${rights}`}>
          <p className="truncate text-sm font-medium">{name}</p>
          <p className="truncate text-xs text-muted">{rights}</p>
        </div>
        <IconButton label="Log out" onClick={() => leaving.mutate()} disabled={leaving.isPending}>
          <LogOut size={15} />
        </IconButton>
      </div>
      <MutationFault of={leaving} />
    </section>
  );
}
