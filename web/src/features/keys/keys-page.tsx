import { useQuery } from '@tanstack/react-query';
import { invalidate, useCaller, useCommand } from '../../api/queries.js';
import { useState } from 'react';
import type { CreatedKey, KeyView } from '#src/client/turnpike-client.js';
import { client } from '../../api/client.js';
import { HelpLink, Loaded, EmptyState, Page } from '../../components/page.js';
import { useNow } from '../../hooks/use-now.js';
import { Button } from '../../components/button.js';
import { DeleteButton } from '../../components/delete-button.js';
import { formatAgo } from '../../components/format.js';
import { Plus } from '../../components/icons.js';
import { SecretDialog } from '../../components/secret-dialog.js';
import { shownFrom, Table } from '../../components/table.js';
import { EditKey } from './edit-key.js';
import { describeLimits } from './key-fields.js';
import { NewKey } from './new-key.js';

/** The API keys of the server, for administrators. */
export function KeysPage() {
  const caller = useCaller();
  const command = useCommand();
  if (caller?.isKeyed === false) {
    return (
      <Page title="API keys">
        <EmptyState title="This server has no API keys.">
          Only this machine reaches it. Make the first key on the machine of the server:{' '}
          <code>{command('keys create --principal NAME')}</code>.{' '}
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
  const [edited, setEdited] = useState<KeyView>();
  // Those that work come first.
  const shown = keys.toSorted(
    (a, b) => Number(a.status !== 'active') - Number(b.status !== 'active'),
  );
  return (
    <>
      <Table
        label="API keys"
        heads={[
          'Key',
          { title: 'Scopes', from: 'lg' },
          { title: 'Limits', from: 'lg' },
          'Status',
          { title: 'Last used', from: 'xl' },
          { title: 'Expires', from: 'xl' },
          '',
        ]}
        cell="px-3 py-2"
      >
        {shown.map((key) => (
          <KeyRow key={key.id} shown={key} now={now} onEdit={() => setEdited(key)} />
        ))}
      </Table>
      {edited !== undefined && (
        <EditKey key={edited.id} of={edited} onClose={() => setEdited(undefined)} />
      )}
    </>
  );
}

/** Of the keys of somebody who was forgotten, nothing more is known. */
const FORGOTTEN = '(forgotten)';

function KeyRow({
  shown: { id, principal, name, scopes, limits, status, lastUsedAt, expiresAt },
  now,
  onEdit,
}: {
  shown: KeyView;
  now: number;
  onEdit: () => void;
}) {
  const used =
    lastUsedAt !== null ? formatAgo(lastUsedAt, now) : principal === FORGOTTEN ? '–' : 'never';
  const expires = expiresAt === null ? 'never' : expiresAt.slice(0, 10);
  const ownLimits = describeLimits(limits);
  return (
    <tr className="border-t border-line align-top first:border-t-0">
      <th scope="row" className="px-3 py-2 font-medium [overflow-wrap:anywhere]">
        {principal}
        {name !== '' && <span className="ml-2 text-xs font-normal text-soft">{name}</span>}
        <code className="block font-mono text-xs font-normal text-muted">{id}</code>
        <span className="mt-1 block text-xs font-normal lg:hidden">
          {[scopes.join(', '), ...ownLimits].join(' · ')}
        </span>
        <span className="block text-xs font-normal text-muted xl:hidden">
          Last used: {used} · expires: {expires}
        </span>
      </th>
      <td className={`${shownFrom.lg} px-3 py-2 text-xs`}>{scopes.join(', ')}</td>
      <td className={`${shownFrom.lg} px-3 py-2 text-xs`}>
        {ownLimits.map((limit) => (
          <span key={limit} className="block whitespace-nowrap tabular-nums">
            {limit}
          </span>
        ))}
      </td>
      <td className={`px-3 py-2 ${looks[status]}`}>{status}</td>
      <td className={`${shownFrom.xl} px-3 py-2 whitespace-nowrap text-muted`}>{used}</td>
      <td className={`${shownFrom.xl} px-3 py-2 whitespace-nowrap text-muted`}>{expires}</td>
      <td className="px-2 py-1 text-right">
        {status === 'active' && (
          <span className="flex justify-end gap-1 max-sm:flex-col">
            <Button onClick={onEdit}>Edit</Button>
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
          </span>
        )}
      </td>
    </tr>
  );
}
