import { useQuery } from '@tanstack/react-query';
import type { McpLoginList, McpLoginView } from '#src/client/turnpike-client.js';
import { client } from '../../api/client.js';
import { invalidate } from '../../api/queries.js';
import { DeleteButton } from '../../components/delete-button.js';
import { formatAgo } from '../../components/format.js';
import { EmptyState, HelpLink, Loaded, Page } from '../../components/page.js';
import { Table } from '../../components/table.js';
import { useNow } from '../../hooks/use-now.js';
import { LoginLink } from './login-link.js';

const POLL_MS = 3_000;

/** The user's log-ins at MCP servers. */
export function McpPage() {
  const logins = useQuery({
    queryKey: ['mcp-logins'],
    queryFn: () => client().mcpLogins.list(),
    // A log-in is finished in another tab.
    refetchInterval: POLL_MS,
  });
  return (
    <Page title="MCP log-ins" lead="Servers that your agents use as you.">
      <Loaded from={logins} what="log-ins">
        {(all) => <Logins {...all} />}
      </Loaded>
    </Page>
  );
}

function Logins({ logins, servers }: McpLoginList) {
  const known = new Set(logins.map(({ server }) => server));
  const open = servers.filter(({ name }) => !known.has(name));
  if (logins.length + open.length === 0) {
    return <NoLogins />;
  }
  return (
    <Table label="Log-ins at MCP servers" heads={['Server', 'Host', 'Log-in', 'Renewed', '']}>
      {logins.map((login) => (
        <LoginRow key={login.id} login={login} />
      ))}
      {open.map(({ name, host }) => (
        <tr key={name} className="border-t border-line first:border-t-0">
          <th scope="row" className="px-4 py-2 font-medium">
            {name}
          </th>
          <td className="px-4 py-2">{host}</td>
          <td className="px-4 py-2 text-muted">none</td>
          <td />
          <td className="px-2 py-1 text-right">
            <LoginLink label="Log in" begin={() => client().mcpLogins.begin({ server: name })} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function NoLogins() {
  const sources = useQuery({ queryKey: ['tool-sources'], queryFn: () => client().toolSources() });
  return (
    <EmptyState title="No log-ins.">
      {sources.data?.mcpServers.length === 0
        ? 'No MCP server is configured.'
        : 'None of the configured MCP servers takes one.'}{' '}
      <HelpLink topic="guide/mcp">How log-ins at MCP servers work</HelpLink>
    </EmptyState>
  );
}

function LoginRow({ login: { id, server, url, issuer, renewedAt } }: { login: McpLoginView }) {
  const now = useNow(30_000);
  return (
    <tr className="border-t border-line first:border-t-0">
      <th scope="row" className="px-4 py-2 font-medium" title={id}>
        {server}
      </th>
      <td className="px-4 py-2" title={url}>
        {new URL(url).host}
      </td>
      <td className="px-4 py-2 text-good">at {issuer}</td>
      <td className="px-4 py-2 whitespace-nowrap text-muted">{formatAgo(renewedAt, now)}</td>
      <td className="px-2 py-1 text-right">
        <DeleteButton
          label="Log out"
          title={`Log out of ${server}?`}
          onConfirm={async () => {
            await client().mcpLogins.end(id);
            await invalidate('mcp-logins');
          }}
        >
          Your agents cannot use the server as you any more. The tokens are revoked at {issuer} too.
        </DeleteButton>
      </td>
    </tr>
  );
}
