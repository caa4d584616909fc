import type { User } from 'oidc-client-ts';
import { createRoot } from 'react-dom/client';
import { TurnpikeChatTransport } from 'turnpike/client/ai-sdk';
import { Chat } from '../ai-sdk/chat.js';
import * as ownToken from './own-token.js';
import * as pageToken from './page-token.js';
import { users } from './users.js';

const url = import.meta.env['VITE_TURNPIKE_URL'] ?? 'http://localhost:4400';
const { logIn, token, logOut } = import.meta.env['VITE_PAGE_TOKENS'] ? pageToken : ownToken;

async function openChat({ profile }: User) {
  const transport = new TurnpikeChatTransport({ url, token, aiSdk: 7 });
  const { chats } = await transport.chats();
  const chatId = location.hash.slice(1) || crypto.randomUUID();
  history.replaceState(null, '', `#${chatId}`);
  const loaded = await transport.history(chatId);
  return (
    <>
      <header>
        {profile.sub} <button onClick={() => void logOut()}>Log out</button>
      </header>
      <nav aria-label="My chats">
        {chats.map(({ id, title }) => (
          <a key={id} href={`#${id}`}>
            {title}
          </a>
        ))}
      </nav>
      <Chat id={chatId} transport={transport} history={loaded} />
    </>
  );
}

async function openPage() {
  if (location.search.includes('code=')) {
    await users.signinCallback();
    history.replaceState(null, '', '/');
  }
  const user = await users.getUser();
  if (user === null || user.expired) return <button onClick={() => void logIn()}>Log in</button>;
  return openChat(user);
}

addEventListener('hashchange', () => location.reload());
const page = createRoot(document.getElementById('page') ?? document.body);
page.render(await openPage().catch((error) => <p role="alert">{String(error)}</p>));
