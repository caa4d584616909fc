/** All that the commands take; the help of one command is the part that is about it. */
const usage = `turnpike turn [options] MESSAGE    run one turn and print its stream
turnpike chat [options]             talk, message by message; /help lists its commands
turnpike tail TURN [--after ID]     print a turn that runs or ran
turnpike sessions [--limit N]       list the latest sessions
turnpike fork TURN [--before]       begin a session with the history up to a turn, with it or before it
turnpike replay TURN [options]      run an ended turn again on recorded results, and compare both; --model M,
                                    --agent A, --tools recorded|none, --json
turnpike compare TURN OTHER         two turns side by side: cost, times, tool calls; --json
turnpike agents                     list the named agents
turnpike skills                     list the skills of the server; --agent NAME: of an agent; --session ID: of a
                                    session; with the faults of their files
turnpike models                     list the models that turns may name, with windows and prices
turnpike approvals [--json]         list the questions that turns wait for
turnpike approve ID                 approve a tool call; --session: and every such call of the session;
                                    --rule R: and every call under the rule R
turnpike deny ID [WHY]              deny a tool call; the model gets the reason
turnpike webhooks list              list where events of your turns are sent; also add URL, remove ID, enable ID,
                                    rotate ID, test ID, deliveries ID, redeliver ID DELIVERY
turnpike memory list [AGENT]        list what agents keep for you; also show AGENT PATH, delete AGENT [PATH]
turnpike schedules list             list turns at times of a clock; also create KEY, put KEY, show KEY, remove KEY,
                                    pause KEY, resume KEY, trigger KEY, runs KEY, upcoming KEY
turnpike feedback set TURN KEY VALUE [COMMENT]  say what you think of a turn; also show TURN, delete TURN KEY, list
turnpike [serve] [options]          serve until a signal stops it
turnpike keys create|list|revoke    manage API keys
turnpike export [options]           write sessions as lines of JSON, with turns and files
turnpike import FILE                store the sessions of an export that are not there yet; - is standard input
turnpike forget PRINCIPAL           delete all that is stored of a principal
turnpike migrate [--check]          bring the database up to date; --check only looks, and exits with 1 if it is not
turnpike --version                  print the version of this command, and the commit that it was built from

Options of turn:
  --attach FILE     attach a file; may be repeated
  --session ID      go on with a session; default: a new session for the current folder
  --persona NAME    --mode MODE    --model MODEL    --tools A,B
  --replaces TURN   take the place of a turn that has ended, and of all that follow it
  --output FILE     end with an object of the JSON Schema in the file; print it alone, exit with 1 if there is none
  --json            print every frame as a line of JSON

Options of chat:
  --session ID      go on with a session
  --agent NAME      one of the named agents
  --json            print every frame as a line of JSON; also with tail, sessions, agents, skills and models

Options of webhooks:
  --events A,B      add: out of turn.started, turn.waiting, turn.ended, approval.requested,
                    schedule.missed, schedule.paused, feedback.changed; default: all
  --description T   add: what it is for
  --keep-old HOURS  rotate: how long the secret before signs as well; default: 24
  --status S        deliveries: pending, delivered or dead; --limit N: at most N, default 20
  --json            print JSON, a line each

Options of feedback list:
  --key K    --min N    --max N    --agent NAME    --model NAME    --since T    --until T    --limit N
  --json            print JSON, a line each; also with set, show and delete

Options of memory:
  --yes             delete: do not ask; --json: print JSON

Options of schedules create, put:
  --cron C          minute, hour, day, month, weekday; --tz ZONE: whose clock; --message TEXT
  --session ID      all turns in this session; default: a new one for each, of --agent NAME in --project DIR
  --overlap P       skip, queueOne or allow; --catch-up MS; --opts JSON
  --limit N         runs, upcoming: at most N, default 20 and 10; --json: print JSON, a line each

Options of serve:
  --port N          port to listen on (TURNPIKE_PORT)
  --role ROLE       api, worker or all (TURNPIKE_ROLE)
  --open            open the API's page in a browser

Options of keys create:
  --principal NAME  the owner of the key; --name TEXT describes its use
  --scopes A,B      out of turns, approvals, admin, metrics; default: all for the first key, else turns and approvals
  --expires 30d     also 12h or 90m; default: the key does not expire
  --project-root DIR  a folder for its sessions, beside those that every key may use; may be repeated
  --requests-per-minute N    --concurrent-turns N    --tokens-per-day N    --usd-per-day X
  --json            print JSON; also with keys list and keys revoke ID

Options of export:
  --session ID      one session; --principal NAME  those of a principal; default: all
  --output FILE     default: standard output

Options of import:
  --principal NAME  the owner of all its sessions; default: the owner that each has in the file
  --json            print JSON; also with forget

Options of forget:
  --dry-run         count what there is, and delete nothing
  --projects        delete the principal's project folder too
  --yes             do not ask

Options of all commands that talk to a server:
  --url URL         the server; default: TURNPIKE_URL, then the server of the data folder
                    (./.turnpike), then the server on the port of npm start (4400)
  --start           turn and chat: start a server until the command ends, where none is found;
                    without it, they ask at a terminal

turn without a MESSAGE, or with -, takes it from standard input. Exit code: the turn's (0 ended,
1 failed, 130 interrupted); 2 for a wrong call.
`;

const [commandLines = '', ...sections] = usage.trimEnd().split('\n\n');

/** The calls of each command with the lines that go on with them, in the order of the help. */
const calls = commandLines.split(/\n(?=turnpike )/).map((text) => {
  const name = /^turnpike \[?([a-z]+)/.exec(text)?.[1] ?? '';
  return { name, text };
});

export const commandNames: readonly string[] = calls
  .map(({ name }) => name)
  .filter((name) => name !== '');

/** The help of all commands: one call each, and where to read on. */
export const help = `${commandLines}

turnpike COMMAND --help    the options of a command

${sections.at(-1) ?? ''}
`;

/** The help of a command: its calls and its options. Undefined: there is no such command. */
export function helpOf(name: string): string | undefined {
  const own = calls.filter((call) => call.name === name).map(({ text }) => text);
  if (own.length === 0) return undefined;
  const isAbout = new RegExp(`^Options of (?:[a-z]+, )*(?:${name})\\b`);
  const options = sections.filter((section) => isAbout.test(section));
  const common = sections.filter((section) => section.startsWith('Options of all'));
  const isLocal = ['serve', 'migrate'].includes(name);
  return `${[...own, ...options, ...(isLocal ? [] : common)].join('\n\n')}\n`;
}
