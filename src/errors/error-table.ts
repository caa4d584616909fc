/** The answer to an error. */
export interface ErrorVerdict {
  /** HTTP status. */
  status: number;
  /** Whether the same request, sent again unchanged, may be accepted. */
  retryable: boolean;
  /** `Retry-After` of the answer, in seconds. Absent: none, or what the call gives. */
  retryAfterSeconds?: number | undefined;
}

/** A code of the table, for `docs/reference/errors.md` and the API's description. */
export interface ErrorEntry extends ErrorVerdict {
  /** In Markdown, whole sentences. */
  means: string;
  /** Remedy for the client or the operator. In Markdown, whole sentences. */
  action: string;
  /** Further verdicts of the code, by the name that a call gives. */
  cases?: Readonly<Record<string, ErrorVerdict & { means: string }>>;
}

/** Errors that the same request would meet again. */
function final(status: number, means: string, action: string) {
  return { status, retryable: false, means, action };
}

/** Errors that may have passed when the same request is sent again. */
function later(status: number, means: string, action: string, retryAfterSeconds?: number) {
  return { status, retryable: true, retryAfterSeconds, means, action };
}

/**
 * All errors that a client may see, by code. A code never changes its meaning and is never removed. In one file, however
 * long: a code that two parts of the server had would be two meanings.
 */
export const errorTable = {
  APPROVAL_NOT_FOUND: final(
    404,
    "There is no such approval, or it is another principal's.",
    '`GET /api/harness/approvals` lists the open ones.',
  ),
  APPROVAL_RESOLVED: final(
    409,
    'The approval has another answer already, its deadline has passed, or its turn has ended (`details.decision`, `details.by`). Nothing was changed.',
    'Continue with the stream.',
  ),
  ATTACHMENT_FAILURE: final(
    400,
    'All files were refused, and there is no text; or a named agent got a file that was refused. `details.attachmentErrors` has the reasons.',
    'Correct the files, or send text with them.',
  ),
  ATTACHMENT_NOT_FOUND: final(
    404,
    'There is no such file, or it is not yours. A file is deleted with its session, an unused upload after a day.',
    'Take the id from the messages of the session, or send the file again.',
  ),
  ATTEMPTS_EXHAUSTED: final(
    500,
    'On the stream: `TURNPIKE_MAX_ATTEMPTS` attempts in a row ended with their process, or lost the turn, before they stored anything new. Earlier steps are kept, and the session is free.',
    "Send another message. Operator: the processes' logs say what ended them; look at the turn's last step first.",
  ),
  BODY_CONSUMED: final(
    500,
    'Only inside of a host application: it read the body before Turnpike did.',
    'Mount the handler before `express.json()` and everything else that reads bodies.',
  ),
  BODY_TOO_LARGE: final(
    413,
    'The body is over `TURNPIKE_MAX_BODY_BYTES`, or `TURNPIKE_MAX_CONVERSATION_BYTES` on wires whose clients send the whole conversation; or it inflates to more than ten times what was sent.',
    'Send fewer or smaller files, and large content as an attachment.',
  ),
  BUDGET_EXHAUSTED: later(
    429,
    'The principal has used its tokens or dollars of the day (`details.budget`; `GET /api/harness/usage`).',
    'Send it again after midnight UTC (`Retry-After`), or give the key a higher limit.',
  ),
  CLIENT_LEFT: final(
    499,
    'The client closed its request before there was an answer. Only logs show this error.',
    'Send the request again.',
  ),
  CONSOLE_NOT_BUILT: final(
    404,
    'The console is not built, or was built again after the server started.',
    'Run `npm run build` and restart the server, or turn the console off: `TURNPIKE_CONSOLE=false`.',
  ),
  DECISION_TREE_NOT_FOUND: final(
    500,
    'The agent names a decision tree that this server does not have.',
    'Correct `decision_tree` in its file.',
  ),
  EXTENSION_FAILURE: final(
    500,
    "An extension's decision tree threw an error, or returned a wrong shape. `details` names module, tree and operation; the server's log has the error.",
    "Correct the extension, or name another `decision_tree` in the agent's file.",
  ),
  FEEDBACK_LIMIT: final(
    409,
    'The turn has feedback for the maximum number of keys.',
    'Change or delete one of them.',
  ),
  FEEDBACK_NOT_FOUND: final(
    404,
    'The turn has no feedback with this key.',
    '`GET /api/harness/turns/{id}/feedback` lists what it has.',
  ),
  FILE_TOO_LARGE: final(
    413,
    'A file is over the limit of the route; the message names both.',
    'Send a smaller file, or send it as multipart instead of base64.',
  ),
  FORBIDDEN_AGENT: final(
    403,
    'Your role does not include this agent; `details.agents` lists those that it does.',
    'Use one of them, or ask an administrator to add it to your role.',
  ),
  FORBIDDEN_APPROVER: final(
    403,
    'You are not among those who decide about this call (`details.awaits`); or a page token was to have approver roles that its key lacks.',
    'Let somebody decide who has the role. Administrator: give the role with `approves`, to a group in `TURNPIKE_AUTH_FILE` or to a key.',
  ),
  FORBIDDEN_CREDENTIAL: final(
    403,
    'What the caller authenticated with is known for this request alone, and cannot act later.',
    'Use an API key, or a token of an identity provider.',
  ),
  FORBIDDEN_FOR_PAGE: final(
    403,
    'A page token may not use this route: the route outlives the token, or reaches beyond the session that the token is for.',
    'Let your backend send the request with its key, or make a token without `sessionId`.',
  ),
  FORBIDDEN_ORIGIN: final(
    403,
    'There are no API keys, and `Host` or `Origin` is not a loopback name.',
    "Call 127.0.0.1, list the page's origin in `TURNPIKE_CORS_ORIGINS`, or make an API key.",
  ),
  FORBIDDEN_PRINCIPAL: final(
    403,
    'The key may make page tokens for other principals (`details.mints`), or for its own alone.',
    "Make a key that may: `turnpike keys create --mints 'app:*'`. Principals of identity providers get their tokens there.",
  ),
  FORBIDDEN_ROLE: final(
    403,
    'The token or the log-in is valid, and none of its groups (`details.groups`) has a role on this server.',
    'Ask the administrator for a role in `TURNPIKE_AUTH_FILE`; `turnpike auth check` explains a token.',
  ),
  FORBIDDEN_SCOPE: final(
    403,
    'The API key lacks the scope `details.needed`.',
    'Use a key with this scope, or make one: `turnpike keys create --scopes …`.',
  ),
  IDEMPOTENCY_KEY_REUSED: final(
    422,
    'The `Idempotency-Key` was used for another request.',
    'Use a new key for a new request.',
  ),
  IMPORT_INVALID: final(
    400,
    'The file is incomplete, or line `details.line` is wrong. Nothing of the session at that line was stored; the `details.imported` sessions before it were.',
    'Export the sessions again, or correct the line. Then import the file again: sessions that exist are left out.',
  ),
  IMPORT_TOO_NEW: final(
    400,
    'The file is of a newer version, in a format that this one does not know. Nothing was imported.',
    'Upgrade this server, then import the file again.',
  ),
  INSTRUCTION_ROOT_INVALID: final(
    500,
    'The instruction root lacks the files in `details`.',
    'Add them, or set `TURNPIKE_INSTRUCTION_ROOT`.',
  ),
  INTERRUPTED: final(
    499,
    'The turn was interrupted, or ended because it had no readers.',
    'Send the message again. With `opts.onDisconnect: "continue"` a turn continues without readers.',
  ),
  INVALID_REQUEST: {
    ...final(
      400,
      'A field is missing or wrong; the message names it and the allowed values.',
      'Correct the request.',
    ),
    cases: {
      fields: {
        status: 422,
        retryable: false,
        means: 'on the routes of preferences and the oracle, which list the faults of all fields',
      },
    },
  },
  ISSUER_UNAVAILABLE: later(
    503,
    'The keys of an identity provider could not be loaded for a day, or never, so its tokens cannot be checked; or it does not answer while somebody logs in.',
    'Send it again. Operator: the log says why; check `issuer_url`, `jwks_url` and the network.',
    5,
  ),
  KEY_NOT_FOUND: final(
    404,
    'There is no API key with that id.',
    '`turnpike keys list` lists all keys.',
  ),
  LOGIN_REFUSED: final(
    400,
    'A person was not [logged in](../operate/log-in-console.md) to the console; `details.reason` says why.',
    'Begin the log-in again at the console. Operator: the log says what the identity provider answered.',
  ),
  MCP_LOGIN_NOT_FOUND: final(
    404,
    "There is no such [log-in at an MCP server](../guide/mcp-log-in.md), or it is another principal's.",
    '`GET /api/harness/mcp/logins` lists yours.',
  ),
  MCP_LOGIN_REFUSED: final(
    400,
    'Nobody was [logged in at an MCP server](../guide/mcp-log-in.md); `details.reason` says why. Nothing was stored.',
    'Do what the message says; it is for the person, or for the operator of the server.',
  ),
  MCP_LOGIN_UNAVAILABLE: later(
    502,
    'The authorization server of an MCP server, or the MCP server itself, did not answer as it should.',
    'Try again. Operator: the log says what it answered.',
    5,
  ),
  MCP_PROMPT_FAILURE: final(
    400,
    'On the stream: there is no such prompt (`opts.prompt`), it lacks an argument or has one too many, or its MCP server did not give its text. The model was not called.',
    '`GET /api/harness/sessions/{id}/prompts` lists the prompts and their arguments.',
  ),
  MEMORY_CHANGED: final(
    412,
    'The file in the memory has another version than `If-Match` or `If-None-Match` says. Nothing was changed.',
    'Read the file, then send the request with its `ETag`.',
  ),
  MEMORY_FILE_NOT_FOUND: final(
    404,
    'The memory has no file with this path.',
    '`GET /api/harness/memory/{agent}` lists its files.',
  ),
  MEMORY_FULL: final(
    409,
    'The write is over `TURNPIKE_MEMORY_FILES`, `TURNPIKE_MEMORY_FILE_BYTES` or `TURNPIKE_MEMORY_BYTES`. Nothing was written.',
    'Delete or shorten files, then write again.',
  ),
  MEMORY_OFF: final(
    403,
    'Memory is off (`TURNPIKE_MEMORY=false`): nothing can be written.',
    'Existing files can be read and deleted. Ask the operator to turn it on.',
  ),
  METHOD_NOT_ALLOWED: final(
    405,
    'The route does not take this method.',
    'Use a method of the header `Allow`.',
  ),
  MISSING_API_KEY: {
    ...final(503, 'The server has no key for the model provider.', 'Set `ANTHROPIC_API_KEY`.'),
    cases: {
      question: {
        status: 400,
        retryable: false,
        means: 'on `POST /api/oracle`',
      },
    },
  },
  NO_APPROVERS: final(
    422,
    'A permission rule leaves decisions to approver roles that nobody can have here (`details.roles`).',
    'Correct the rule. Administrator: give a role with `approves`, to a group in `TURNPIKE_AUTH_FILE` or to a key.',
  ),
  NO_MASTER_KEY: final(
    409,
    'The server has no master keys, so that there is nothing to rotate.',
    'Set `TURNPIKE_MASTER_KEY_FILE` in each process first ([secrets at rest](../operate/secrets.md)).',
  ),
  OUTPUT_INVALID: final(
    422,
    "On the stream: no reply of the turn matched the schema of `opts.output`. `details` has the faults of the last one; its text is in the turn's messages.",
    'Describe the object in the message or in `description`s, simplify the schema, or allow more `repairs`.',
  ),
  PERSONA_NOT_FOUND: final(
    404,
    'There is no agent with this name; the message lists the names.',
    'Use one of them, or add the agent’s file.',
  ),
  QUEUE_FULL: later(
    429,
    'The queue is full (`TURNPIKE_QUEUE_DEPTH`). Nothing was stored.',
    'Send it again after `Retry-After` seconds.',
    5,
  ),
  QUEUE_UNAVAILABLE: later(
    503,
    'The turn is accepted and stored (`details.turnId`), but for three seconds no worker could be told: Redis is full, read-only or away, or the database takes no writes. It starts by itself once they do.',
    'Send it again with the same `Idempotency-Key`: it joins the turn. Without a key, follow `details.turnId`. Operator: `/ready` says why.',
    5,
  ),
  RATE_LIMITED: later(
    429,
    'The principal has sent too many requests in `details.perMs`, or the address too many wrong credentials.',
    'Send it again after `Retry-After` seconds.',
  ),
  REQUEST_TIMEOUT: later(
    408,
    'The request’s body paused for longer than `TURNPIKE_RECEIVE_TIMEOUT_MS`.',
    'Send it again.',
  ),
  ROUTE_NOT_FOUND: final(404, 'There is no such route.', 'See `/docs`.'),
  SCHEDULE_EXISTS: final(
    412,
    'A schedule with this key exists, and the request has `If-None-Match: *`. Nothing was changed.',
    'Choose another key, or replace the schedule: leave the header out.',
  ),
  SCHEDULE_LIMIT: final(
    429,
    'The principal has the maximum number of schedules.',
    'Delete one, or raise `TURNPIKE_SCHEDULES_PER_PRINCIPAL`.',
  ),
  SCHEDULE_NOT_FOUND: final(
    404,
    'The principal has no schedule with this key.',
    '`GET /api/harness/schedules` lists them.',
  ),
  SCHEDULE_PAUSED: final(
    409,
    'In the record of a run: the last runs failed, so the schedule was paused before this one.',
    'Correct the schedule, then resume it.',
  ),
  SDK_FAILURE: {
    ...final(
      500,
      'A fault of the server: its log has the error under `correlationId`. With a `details.category`: a failure of the model provider, with its status if it sent one.',
      'See [failures of the provider](#failures-of-the-provider).',
    ),
    cases: {
      refused: {
        status: 400,
        retryable: false,
        means: 'the server did not send the request, because of its address or model',
      },
      unreadable: {
        status: 502,
        retryable: true,
        means: "the provider's answer was cut off, invalid or empty",
      },
      unknown: {
        status: 502,
        retryable: false,
        means: 'this version does not know this kind of answer',
      },
      noKey: {
        status: 503,
        retryable: false,
        means: '`session/boot` found no key for the provider',
      },
      unreachable: {
        status: 503,
        retryable: true,
        means: 'the connection could not be opened, or broke',
      },
      wrongAddress: {
        status: 503,
        retryable: false,
        means: 'there is no such address, or its certificate is not trusted',
      },
      timedOut: {
        status: 504,
        retryable: true,
        means: 'the provider did not answer in time',
      },
    },
  },
  SECRET_UNREADABLE: final(
    500,
    'A stored secret cannot be opened: the process lacks the master key, the data key was destroyed, or the value was changed or moved (`details`).',
    'Operator: compare `TURNPIKE_MASTER_KEY_FILE` with that of the other processes. Client: rotate the secret of the webhook, or make another session.',
  ),
  SESSION_LIMIT: final(
    429,
    'The server has the maximum number of sessions.',
    'Delete some, or raise `TURNPIKE_MAX_SESSIONS`.',
  ),
  SESSION_NOT_FOUND: final(
    404,
    'There is no such session, or it has no active turn (`details.reason`).',
    'Create a session. Without an active turn, there is nothing to interrupt.',
  ),
  SESSION_QUEUE_FULL: later(
    429,
    'The session has `TURNPIKE_SESSION_QUEUE` held turns or undelivered messages. Nothing was stored.',
    'Send it again when one has ended.',
    5,
  ),
  SHUTTING_DOWN: later(503, 'The server is stopping.', 'Send it again in a few seconds.', 5),
  STORAGE_FULL: later(
    507,
    'The database, Redis or a disk of the server has no space left. Accepted turns continue when there is room.',
    'Send it again later; a turn with the same `Idempotency-Key`. Operator: make room; `/ready` names what is full, and the log has its words.',
    30,
  ),
  STORAGE_READ_ONLY: later(
    503,
    'The database, Redis or a disk of the server takes no writes, as during a failover. Accepted turns continue when it takes them.',
    'Send it again; a turn with the same `Idempotency-Key`. Operator: `/ready` names what takes none; check that `DATABASE_URL` and `REDIS_URL` lead to the primary.',
    5,
  ),
  STORAGE_UNAVAILABLE: later(
    503,
    'The database does not answer. Accepted turns continue when it is back.',
    'Send it again; a turn with the same `Idempotency-Key`.',
    5,
  ),
  STREAM_EXPIRED: final(
    410,
    'The events of the turn are no longer kept (`TURNPIKE_ARCHIVE_KEEP_DAYS`).',
    'Read the messages of its session.',
  ),
  TOO_MANY_READERS: {
    ...later(
      429,
      'The principal has `TURNPIKE_READERS_PER_PRINCIPAL` open streams and waiting answers at this process. Nothing was stored.',
      'Close some, or send it again after `Retry-After` seconds.',
      5,
    ),
    cases: {
      process: {
        status: 503,
        retryable: true,
        retryAfterSeconds: 5,
        means: 'all principals together have `TURNPIKE_READERS` (`details.of`)',
      },
    },
  },
  TOO_MANY_TURNS: later(
    429,
    'The key has the maximum number of unended turns. Nothing was stored.',
    'Wait until one has ended, or interrupt one; then send it again.',
    5,
  ),
  TOOL_NOT_FOUND: final(
    404,
    'There is no such tool of an extension, a folder of tools or an MCP server of the configuration. Where its server did not come up, the message says why.',
    '`GET /api/harness/tools` lists the tools, and the states of the servers.',
  ),
  TOOL_TRIAL_DENIED: final(
    403,
    "The server's permissions or its tool hook deny the call (`details.rule`). Nothing ran.",
    'Change the rule, or the hook.',
  ),
  TOOL_TRIAL_UNCONFIRMED: final(
    409,
    'The tool does more than read, or a rule asks about the call. Nothing ran.',
    'Let a person look at the input, then send it with `confirmed: true`.',
  ),
  TOOL_TRIAL_UNSUPPORTED: final(
    400,
    'The tool is built in, runs at the provider, waits for approvers, or asks its person: it runs in a session alone.',
    'Send a turn that calls it.',
  ),
  TURN_IN_PROGRESS: later(
    409,
    'The session has an active turn.',
    'Send it with `opts.onBusy`, wait for the turn’s end, or interrupt it.',
    2,
  ),
  TURN_NOT_FOUND: final(404, 'There is no such turn or message.', 'Check the id.'),
  TURN_SUPERSEDED: final(
    409,
    'The turn in `opts.replaces`, or a turn before it, was replaced by `details.supersededBy`. Nothing was stored.',
    'Load the conversation again and replace a turn that is in it, or fork the session at the superseded one.',
  ),
  UNAUTHENTICATED: final(
    401,
    'The request has no valid API key or token: `details.reason` is `MISSING`, `UNKNOWN`, `EXPIRED` or `REVOKED`, of the console `LOGIN_ENDED`, or says what is wrong with a [token](../operate/log-in-reference.md#errors).',
    'Send `Authorization: Bearer tpk_…` or a token of the identity provider; make a key with `turnpike keys create`. [Inside an application](../guide/inside-your-application.md), return the user from `authenticate`.',
  ),
  UNSUPPORTED_MEDIA_TYPE: final(
    415,
    'The route does not read this `Content-Encoding` or charset, or a page sent no `Content-Type: application/json`.',
    'Send JSON in UTF-8, plain or as gzip, deflate, br or zstd. Do not encode bodies with files.',
  ),
  WEBHOOK_DELIVERY_NOT_FOUND: final(
    404,
    'The webhook has no such delivery. Deliveries are kept for `TURNPIKE_WEBHOOK_KEEP_DAYS`.',
    '`GET /api/harness/webhooks/{id}/deliveries` lists them.',
  ),
  WEBHOOK_DISABLED: final(
    409,
    'The webhook was disabled by its owner, or because its endpoint answered 410. Nothing is sent to it.',
    'Enable it, then send again.',
  ),
  WEBHOOK_LIMIT: final(
    429,
    'The principal has the maximum number of webhooks.',
    'Delete one, or raise `TURNPIKE_WEBHOOKS_PER_PRINCIPAL`.',
  ),
  WEBHOOK_NOT_FOUND: final(
    404,
    "There is no such webhook, or it is another principal's.",
    '`GET /api/harness/webhooks` lists yours.',
  ),
  WEBHOOK_URL_REFUSED: final(
    400,
    'The URL is invalid, has a credential, is not https, or names an address that is not public.',
    'Use https and a public address. Hosts in `TURNPIKE_WEBHOOK_PRIVATE_HOSTS` may have private addresses and http, also for development.',
  ),
  WORKING_ROOT_CONFLICT: final(
    409,
    "The project folder is not open to the key (`details.openRoots` lists the open ones); or it is `/`, or is in the instruction root, the server's data, `/proc`, `/sys` or `/dev`. A session whose folder was closed later stays readable, and takes no turns.",
    'Choose another folder, or open this one with `TURNPIKE_PROJECT_ROOTS` or the key’s `projectRoots`.',
  ),
  WORKING_ROOT_INACCESSIBLE: final(
    404,
    'The project folder does not exist, is a file, or is not readable and writable.',
    'Create it, or correct its permissions.',
  ),
} satisfies Readonly<Record<string, ErrorEntry>>;

export type ErrorCode = keyof typeof errorTable;

/** Codes with several verdicts, each with the names of the further ones. */
export type ErrorCases = {
  [
    Code in ErrorCode as (typeof errorTable)[Code] extends { cases: object } ? Code : never
  ]: (typeof errorTable)[Code] extends { cases: infer Cases } ? keyof Cases : never;
};

/** A table entry with its general type, for access to any code's cases. */
export function errorEntry(code: ErrorCode): ErrorEntry {
  return errorTable[code];
}
