import { useMutation } from '@tanstack/react-query';
import type { BegunMcpLogin } from '#src/client/turnpike-client.js';
import { Button } from '../../components/button.js';
import { FaultNote } from '../../components/fault-note.js';
import { Spinner } from '../../components/spinner.js';

/** A log-in at an MCP server: a button, then the link, whose host the person reads before opening it. */
export function LoginLink({
  begin,
  label,
}: {
  begin: () => Promise<BegunMcpLogin>;
  label: string;
}) {
  const { mutate, data, isPending, error } = useMutation({ mutationFn: begin });
  if (data !== undefined) {
    return (
      <span className="flex flex-wrap items-center gap-2 text-sm">
        <a
          href={data.url}
          target="_blank"
          rel="noopener noreferrer"
          className="font-medium text-accent-ink underline"
        >
          Open {new URL(data.url).host}
        </a>
        <span className="text-xs text-muted">
          Log in there, then agree on the page that follows. The link works for ten minutes, in this
          browser, and once.
        </span>
        <Button look="quiet" disabled={isPending} onClick={() => mutate()}>
          Begin again
        </Button>
      </span>
    );
  }
  return (
    <>
      {error !== null && <FaultNote fault={error} />}
      <Button look="main" data-answer="allow" disabled={isPending} onClick={() => mutate()}>
        {isPending && <Spinner size={13} className="text-current" />} {label}
      </Button>
    </>
  );
}
