#!/usr/bin/env node
import { answerCommand } from './cli/answer-command.js';
import { chatCommand } from './cli/chat-command.js';
import { keysCommand } from './cli/keys-command.js';
import { leaveOnClosedPipe } from './cli/leave-on-closed-pipe.js';
import { listCommand } from './cli/list-command.js';
import { migrateCommand } from './cli/migrate-command.js';
import { serveCommand } from './cli/serve-command.js';
import { tailCommand } from './cli/tail-command.js';
import { turnCommand } from './cli/turn-command.js';

const usage = `turnpike turn [options] MESSAGE    run one turn and print its stream
turnpike chat [options]             talk, message by message; /help says how
turnpike tail TURN [--after ID]     print a turn that runs or ran
turnpike sessions [--limit N]       the latest sessions; agents: the named agents
turnpike models                     the models that turns may name, with windows and prices
turnpike approvals [--json]         what turns wait for
turnpike approve ID                 --session: and every such call of the session; --rule R: all of R
turnpike deny ID [WHY]              the model is told why
turnpike serve [options]            serve until it is stopped
turnpike keys create|list|revoke   manage API keys
turnpike migrate                    bring the database of DATABASE_URL up to date

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
  --requests-per-minute N    --concurrent-turns N    --tokens-per-day N    --usd-per-day X
  --json            print JSON; also with keys list and keys revoke ID

A MESSAGE of - is read from standard input. TURNPIKE_URL names the server to use; without it, the
one that serves the data folder, or one started for the length of the turn. Exit code: the turn's
(0 ended, 1 failed, 130 interrupted); 2 when the command itself was not understood.
`;

const [command = '', ...rest] = process.argv.slice(2);
// A server is not done when nobody reads what it prints.
if (command !== 'serve') leaveOnClosedPipe();
process.exitCode = await run();

async function run(): Promise<number> {
  if (command === 'turn') return turnCommand(rest, process.env);
  if (command === 'approvals' || command === 'approve' || command === 'deny')
    return answerCommand(command, rest, process.env);
  if (command === 'chat') return chatCommand(rest, process.env);
  if (command === 'tail') return tailCommand(rest, process.env);
  if (command === 'sessions' || command === 'agents' || command === 'models')
    return listCommand(command, rest, process.env);
  if (command === 'keys') return keysCommand(rest, process.env);
  if (command === 'serve') return serveCommand(rest, process.env);
  if (command === 'migrate') return migrateCommand(process.env);
  const asked = ['help', '--help', '-h'].includes(command);
  if (asked) process.stdout.write(usage);
  else process.stderr.write(command === '' ? usage : `There is no command ${command}.\n\n${usage}`);
  return asked ? 0 : 2;
}
