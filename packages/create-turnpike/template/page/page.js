/** The chat of who is logged in. The address has the session: a reload shows it again, and reads on where a turn runs. */
import { TurnpikeClient } from 'turnpike/client';

const at = (id) => document.getElementById(id);
const { user, turnpikeUrl } = await (await fetch('/me')).json();
const client = new TurnpikeClient({
  url: turnpikeUrl,
  token: () => fetch('/turnpike-token', { method: 'POST' }),
});

at('log-in').hidden = user !== null;
at('chat').hidden = user === null;
at('user').textContent = user;
at('ask').addEventListener('submit', (event) => {
  event.preventDefault();
  const message = at('message').value;
  at('message').value = '';
  tell(send(message));
});
if (user !== null && location.hash !== '') tell(showHistory(location.hash.slice(1)));

async function send(message) {
  const sessionId =
    location.hash.slice(1) || (await client.sessions.create({ persona: 'helper' })).sessionId;
  location.hash = sessionId;
  show('user', message);
  await read(await client.turn({ sessionId, message }));
}

async function showHistory(sessionId) {
  const { messages } = await client.messages(sessionId);
  for (const { role, parts, status, turnId } of messages) {
    if (status === 'active' && role === 'assistant') await read(client.follow(turnId));
    else show(role, parts.map(({ text = '' }) => text).join(''));
  }
}

async function read(turn) {
  const answer = show('assistant', '');
  /** The text by step. */
  const said = [];
  for await (const { event, data } of turn) {
    if (event === 'chat:delta') said[data.step] = (said[data.step] ?? '') + data.text;
    // A worker died: the step runs again, and what it had said is void.
    if (event === 'step:discard') said[data.step] = '';
    if (event === 'tool:start') at('status').textContent = `${data.name} runs`;
    if (event === 'approval:request') ask(data);
    if (event === 'turn:error') said.push(data.message);
    answer.textContent = said.join('');
  }
  at('status').textContent = (await turn.result()).outcome;
}

/** A tool call that waits for a person: tools with effects, unless the agent's file allows them. */
function ask({ approvalId, name, input }) {
  const question = show('question', `May ${name} run? ${JSON.stringify(input)} `);
  for (const decision of ['approve', 'deny']) {
    const button = document.createElement('button');
    button.textContent = decision;
    button.addEventListener('click', () => {
      question.remove();
      tell(client.approvals[decision](approvalId));
    });
    question.append(button);
  }
}

function show(role, text) {
  const article = document.createElement('article');
  article.className = role;
  article.setAttribute('aria-label', role);
  article.textContent = text;
  at('messages').append(article);
  return article;
}

/** Shows what a call was refused for: the message says what to do. */
function tell(call) {
  call.catch((error) => (at('status').textContent = String(error)));
}
