import { useId, useState, type ReactNode } from 'react';
import { Button } from '../components/button.js';
import { Dialog } from '../components/dialog.js';
import { keyRequest, storeKey, type KeyRequest } from '../api/api-key.js';
import { logInPath, logIns } from '../api/log-in.js';
import { useValue } from '../hooks/value-store.js';

const reasons: Record<KeyRequest, ReactNode> = {
  missing: (
    <>
      Enter the key that you were given. An administrator makes keys on the page API keys, or with{' '}
      <code className="block font-mono text-xs leading-5">
        turnpike keys create --principal NAME
      </code>
      In a clone it is <code className="font-mono text-xs">./turnpike</code>.
    </>
  ),
  refused:
    'The server did not accept this key. Check that you copied all of it, and that it has not expired.',
  requested: 'All requests of this page are sent with it.',
};

/** The dialog that asks for an API key. */
export function KeyDialog() {
  const why = useValue(keyRequest);
  const [key, setKey] = useState('');
  const [keep, setKeep] = useState(false);
  const id = useId();
  const issuers = useValue(logIns);
  const isForPeople = issuers.length > 0;
  if (why === undefined) return null;
  return (
    <Dialog
      title={
        isForPeople ? 'Log in' : why === 'requested' ? 'API key' : 'This server needs an API key'
      }
      onClose={() => keyRequest.set(undefined)}
    >
      {isForPeople && <LogInChoice issuers={issuers} />}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (key.trim() !== '') storeKey(key.trim(), keep);
        }}
      >
        <p
          id={`${id}-why`}
          role={why === 'refused' ? 'alert' : undefined}
          className={`mb-3 text-sm ${why === 'refused' ? 'text-bad' : 'text-muted'}`}
        >
          {isForPeople && why === 'missing' ? 'Or enter an API key.' : reasons[why]}
        </p>
        <label htmlFor={id} className="mb-1 block text-xs font-medium">
          API key
        </label>
        <input
          id={id}
          type="password"
          autoComplete="off"
          value={key}
          aria-describedby={`${id}-why`}
          placeholder="tpk_…"
          onChange={({ target }) => setKey(target.value)}
          className="h-9 w-full rounded-lg border border-line-strong bg-panel px-2.5 font-mono text-sm placeholder:font-sans"
        />
        <label className="mt-3 flex items-center gap-2 text-sm">
          <input
            type="checkbox"
            checked={keep}
            onChange={({ target }) => setKeep(target.checked)}
            className="accent-accent"
          />
          Keep it in this browser
        </label>
        <div className="mt-4 flex justify-end">
          <Button type="submit" look="main" disabled={key.trim() === ''}>
            Use this key
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The identity providers that people log in with. */
function LogInChoice({ issuers }: { issuers: readonly string[] }) {
  return (
    <ul aria-label="Ways to log in" className="mb-4 space-y-2">
      {issuers.map((issuer) => (
        <li key={issuer}>
          <a
            href={logInPath(issuer)}
            className="flex h-9 items-center justify-center rounded-lg bg-accent px-3 text-sm font-medium text-on-accent hover:brightness-110"
          >
            Log in with {issuer}
          </a>
        </li>
      ))}
    </ul>
  );
}
