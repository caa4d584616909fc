/**
 * A turn in a page, with what every browser has: `fetch` posts it, an `EventSource` reads it and resumes it by
 * itself. The address has the server, `?server=http://127.0.0.1:4400`, and the turn, so that a reload shows it again.
 */
const server = new URLSearchParams(location.search).get('server') ?? 'http://127.0.0.1:4400';
const [form, stop, status, questions, answer] = [
  'ask',
  'stop',
  'status',
  'questions',
  'answer',
].map((id) => document.getElementById(id));
let turnId;
let stream;

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const { projectRoot, message } = Object.fromEntries(new FormData(form));
  tell(send(projectRoot, message));
});
stop.addEventListener('click', () => tell(post(`/turns/${turnId}/interrupt`)));
if (location.hash !== '') follow(location.hash.slice(1));

/** Posts a turn without waiting for its events: they are read with GET, which an `EventSource` can send again. */
async function send(projectRoot, message) {
  const { session } = await post('/session/create', { projectRoot });
  const { sessionId } = session;
  const { turn } = await post('/turn', { sessionId, message }, { Prefer: 'respond-async' });
  location.hash = turn.turnId;
  follow(turn.turnId);
}

function follow(id) {
  stream?.close();
  turnId = id;
  answer.textContent = '';
  questions.replaceChildren();
  stop.disabled = false;
  /** The text by step. */
  const said = [];
  stream = new EventSource(`${server}/api/harness/turns/${id}/events`);
  const on = (name, take) => stream.addEventListener(name, ({ data }) => take(JSON.parse(data)));
  const say = (step, text) => {
    said[step] = text;
    answer.textContent = said.join('');
  };
  on('chat:delta', ({ step, text }) => say(step, (said[step] ?? '') + text));
  // A worker died: the step runs again, and what it had said is void.
  on('step:discard', ({ step }) => say(step, ''));
  on('tool:start', ({ name }) => (status.textContent = `${name} runs`));
  on('approval:request', ask);
  on('approval:resolve', ({ approvalId }) => document.getElementById(approvalId)?.remove());
  on('turn:error', ({ message }) => (answer.textContent += `\n${message}`));
  on('turn:end', ({ outcome }) => {
    status.textContent = outcome;
    stop.disabled = true;
  });
  // The last frame. An `EventSource` that is not closed would come back for more, and get 204.
  on('process:exit', () => stream.close());
  stream.addEventListener('open', () => (status.textContent = 'connected'));
  // The browser comes back by itself, with the id of the last frame, unless the server refused.
  stream.addEventListener('error', ({ target }) => {
    const isRefused = target.readyState === EventSource.CLOSED;
    status.textContent = isRefused ? 'the server has no such turn' : 'connection lost, coming back';
  });
}

/** Shows the question that a tool call waits for. */
function ask({ approvalId, name, input }) {
  const question = document.createElement('p');
  question.id = approvalId;
  question.append(`May ${name} run? ${JSON.stringify(input)} `);
  for (const decision of ['approve', 'deny']) {
    const button = document.createElement('button');
    button.textContent = decision;
    button.addEventListener('click', () => tell(post(`/approvals/${approvalId}`, { decision })));
    question.append(button);
  }
  questions.append(question);
}

async function post(path, body = {}, headers = {}) {
  const response = await fetch(`${server}/api/harness${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const answered = await response.json();
  if (!response.ok) throw new Error(`${answered.error.type}: ${answered.error.message}`);
  return answered;
}

/** Shows what a call was refused for: the message says what to do. */
function tell(call) {
  call.catch((error) => (status.textContent = String(error)));
}
