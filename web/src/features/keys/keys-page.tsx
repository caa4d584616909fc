import { useQuery } from '@tanstack/react-query';
import { invalidate, useCaller } from '../../api/queries.js';
import { useState } from 'react';
import type { CreatedKey, KeyView } from '#src/client/turnpike-client.js';
import { client } from '../../api/client.js';
import { HelpLink, Loaded, EmptyState, Page } from '../../components/page.js';
import { useNow } from '../../hooks/use-now.js';
import { Button } from '../../components/button.js';
import { DeleteButton } from '../../components/delete-button.js';
import { formatAgo } from '../../components/format.js';
import { Plus } from 'lucide-react';
import { SecretDialog } from '../../components/secret-dialog.js';
import { Table } from '../../components/table.js';
import { NewKey } from './new-key.js';

/** The API keys of the server, for administrators. */
export function KeysPage() {
  const caller = useCaller();
  if (caller?.isKeyed === false) {
    return (
      <Page title="API keys">
        <EmptyState title="This server has no API keys.">
          Only this machine reaches it. Make the first key on the machine of the server:{' '}
          <code>turnpike keys create --principal NAME</code>.{' '}
          <HelpLink topic="operate/access">Access and keys</HelpLink>
        </EmptyState>
      </Page>
    );
  }
  return <Keys />;
}

function Keys() {
  const keys = useQuery({ queryKey: ['keys'], queryFn: () => client().keys.list() });
  const [isAdding, setAdding] = useState(false);
  const [made, setMade] = useState<CreatedKey>();
  return (
    <Page
      title="API keys"
      lead="Who may use this server, and for what."
      actions={
        <Button look="main" onClick={() => setAdding(true)}>
          <Plus aria-hidden size={14} /> New key
        </Button>
      }
    >
      <Loaded from={keys} what="keys">
        {(all) => <KeyTable keys={all} />}
      </Loaded>
      {isAdding && (
        <NewKey
          onMade={(key) => {
            setAdding(false);
            setMade(key);
            void invalidate('keys');
          }}
          onClose={() => setAdding(false)}
        />
      )}
      {made !== undefined && (
        <SecretDialog title="New API key" secret={made.secret} onClose={() => setMade(undefined)}>
          The key of {made.key.principal}. It is shown only now: copy it.
        </SecretDialog>
      )}
    </Page>
  );
}

const looks: Record<KeyView['status'], string> = {
  active: 'text-good',
  expired: 'text-muted',
  revoked: 'text-muted',
};

function KeyTable({ keys }: { keys: readonly KeyView[] }) {
  const now = useNow(30_000);
  // Those that work come first.
  const shown = keys.toSorted(
    (a, b) => Number(a.status !== 'active') - Number(b.status !== 'active'),
  );
  return (
    <Table
      label="API keys"
      heads={['Principal', 'Name', 'Scopes', 'Status', 'Last used', 'Expires', '']}
    >
      {shown.map(({ id, principal, name, scopes, status, lastUsedAt, expiresAt }) => (
        <tr key={id} className="border-t border-line first:border-t-0">
          <th scope="row" className="px-4 py-2 font-medium" title={id}>
            {principal}
          </th>
          <td className="px-4 py-2">{name}</td>
          <td className="px-4 py-2 text-xs">{scopes.join(', ')}</td>
          <td className={`px-4 py-2 ${looks[status]}`}>{status}</td>
          <td className="px-4 py-2 whitespace-nowrap text-muted">
            {lastUsedAt === null ? 'never' : formatAgo(lastUsedAt, now)}
          </td>
          <td className="px-4 py-2 whitespace-nowrap text-muted">
            {expiresAt === null ? 'never' : expiresAt.slice(0, 10)}
          </td>
          <td className="px-2 py-1 text-right">
            {status === 'active' && (
              <DeleteButton
                label="Revoke"
                title={`Revoke this key of ${principal}?`}
                onConfirm={async () => {
                  await client().keys.revoke(id);
                  await invalidate('keys');
                }}
              >
                Whoever uses it gets an error from the next second on. This cannot be undone.
              </DeleteButton>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}
