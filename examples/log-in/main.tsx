import type { User } from 'oidc-client-ts';
import { createRoot } from 'react-dom/client';
import { TurnpikeClient } from 'turnpike/client';
import { Chat } from './chat.tsx';
import * as ownToken from './own-token.ts';
import * as pageToken from './page-token.ts';
import './style.css';
import { users } from './users.ts';

const url = import.meta.env['VITE_TURNPIKE_URL'] ?? 'http://localhost:4400';
const { logIn, token, logOut } = import.meta.env['VITE_PAGE_TOKENS'] ? pageToken : ownToken;

function openChat({ profile }: User) {
  const client = new TurnpikeClient({ url, token });
  return <Chat client={client} title="Chat" person={profile.sub} onLogOut={() => void logOut()} />;
}

async function openPage() {
  if (location.search.includes('code=')) {
    await users.signinCallback();
    history.replaceState(null, '', '/');
  }
  const user = await users.getUser();
  if (user !== null && !user.expired) return openChat(user);
  return (
    <main className="alone">
      <button onClick={() => void logIn()}>Log in</button>
    </main>
  );
}

const page = createRoot(document.getElementById('page') ?? document.body);
page.render(await openPage().catch((error) => <p role="alert">{String(error)}</p>));
