import '@fontsource-variable/inter/index.css';
import './style.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { TurnpikeClient } from 'turnpike/client';
import { Chat } from './chat.tsx';
import { LogIn } from './log-in.tsx';
import { applyTheme } from './theme.ts';

applyTheme();
const root = createRoot(document.getElementById('page') ?? document.body);

/** What the backend says of who is logged in: see `server.mjs`. */
interface Me {
  user: string | null;
  turnpikeUrl: string;
}

async function openPage() {
  const me: Me = await (await fetch('/me')).json();
  if (me.user === null) return <LogIn />;
  const token = () => fetch('/turnpike-token', { method: 'POST' });
  const client = new TurnpikeClient({ url: me.turnpikeUrl, token });
  const { provider } = await client.models();
  const isRehearsal = provider === 'rehearsal';
  return (
    <Chat
      client={client}
      title="Orders"
      agent="helper"
      person={me.user}
      onLogOut={() => void logOut()}
      suggestions={suggestions.map(({ text, call }) => ({
        text,
        // The model of this machine calls what a message names; Claude decides by itself.
        message: isRehearsal ? `${text} ${call}` : text,
      }))}
      hint={
        isRehearsal && 'No ANTHROPIC_API_KEY is set: a model of this machine answers in its place.'
      }
    />
  );
}

const suggestions = [
  { text: 'Where is order 7?', call: '[[tool=order_status {"id":"7"}]]' },
  {
    text: 'Order 8 has to go to 12 Mill Lane.',
    call: '[[tool=change_address {"id":"8","from":"4 Park Road","to":"12 Mill Lane"}]]',
  },
  { text: 'Tell me a long story about a parcel.', call: '[[tokens=400 gap=30]]' },
];

async function logOut() {
  await fetch('/log-out', { method: 'POST' });
  location.assign('/');
}

root.render(
  <StrictMode>
    {await openPage().catch((error) => (
      <p role="alert" className="alone">
        {String(error)}
      </p>
    ))}
  </StrictMode>,
);
