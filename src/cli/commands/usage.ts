export const usage = `turnpike turn [options] MESSAGE    run one turn and print its stream
turnpike chat [options]             talk, message by message; /help says how
turnpike tail TURN [--after ID]     print a turn that runs or ran
turnpike sessions [--limit N]       the latest sessions; agents: the named agents
turnpike models                     the models that turns may name, with windows and prices
turnpike approvals [--json]         what turns wait for
turnpike approve ID                 --session: and every such call of the session; --rule R: all of R
turnpike deny ID [WHY]              the model is told why
turnpike serve [options]            serve until it is stopped
turnpike keys create|list|revoke    manage API keys
turnpike migrate                    bring the database of DATABASE_URL up to date
turnpike --version                  the version of this command

Options of turn:
  --attach FILE     attach a file; may be repeated
  --session ID      go on with a session; without it, one is made for the current folder
  --persona NAME    --mode MODE    --model MODEL    --tools A,B
  --json            print every frame as a line of JSON

Options of chat:
  --session ID      go on with a session
  --agent NAME      one of the named agents
  --json            print every frame as a line of JSON; also with tail, sessions, agents and models

Options of serve:
  --port N          port to listen on (TURNPIKE_PORT)
  --role ROLE       api, worker or all (TURNPIKE_ROLE)
  --open            open the API's page in a browser

Options of keys create:
  --principal NAME  who the key stands for; --name TEXT says what it is for
  --scopes A,B      of turns, approvals and admin; the first key has all, others turns and approvals
  --expires 30d     also 12h or 90m; without it, the key does not expire
  --project-root DIR  a folder its sessions may work in beside those open to all; may be repeated
  --requests-per-minute N    --concurrent-turns N    --tokens-per-day N    --usd-per-day X
  --json            print JSON; also with keys list and keys revoke ID

Options of all that talk to a server:
  --url URL         the server; without it TURNPIKE_URL, then the one that serves the data folder
                    (./.turnpike), then the one on the port of npm start (4400)
  --start           turn and chat: start one for as long as they run, where none is found; at a
                    terminal they ask

turn without a MESSAGE, or with -, reads it from standard input. Exit code: the turn's (0 ended,
1 failed, 130 interrupted); 2 when the command itself was not understood.
`;
