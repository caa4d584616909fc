/** Opens the chat that the address names, with its messages so far: see README.md beside this file. */
import { createRoot } from 'react-dom/client';
import { TurnpikeChatTransport } from 'turnpike/client/ai-sdk';
import '../../packages/create-turnpike/template/page/style.css';
import { Chat } from './chat.tsx';

/** Whether the backend has a key, which the page never sees: see vite.config.ts. */
declare const usesTokens: boolean;

const token = (): Promise<Response> => fetch('/turnpike-token', { method: 'POST' });
// The page and the server are of one origin here: vite passes requests on.
const transport = new TurnpikeChatTransport({ url: '', aiSdk: 7, ...(usesTokens && { token }) });
const chatId = location.hash.slice(1) || `chat-${Date.now()}`;
globalThis.history.replaceState(null, '', `#${chatId}`);
addEventListener('hashchange', () => location.reload());

const history = await transport.history(chatId);
const page = document.getElementById('page');
if (page === null) throw new Error('The page has no place for the chat');
createRoot(page).render(<Chat id={chatId} transport={transport} history={history} />);
